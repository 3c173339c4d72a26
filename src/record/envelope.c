/* SPDX-License-Identifier: Apache-2.0 */
#include "record/envelope.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"

static const size_t envelope_bytes_max = (size_t)64 << 20;

void envelope_release(struct envelope *envelope)
{
	size_t i;

	free(envelope->type);
	str_release(&envelope->body);
	str_release(&envelope->unsigned_members);
	for (i = 0; i < envelope->signature_count; i++) {
		free(envelope->signatures[i].keyid);
		str_release(&envelope->signatures[i].bytes);
	}
	memset(envelope, 0, sizeof(*envelope));
}

void envelope_init(struct envelope *envelope, const char *type, const char *body, size_t len)
{
	memset(envelope, 0, sizeof(*envelope));
	envelope->type = xstrdup(type);
	str_add_bytes(&envelope->body, body, len);
}

/* --- signatures --- */

static void add_signed_bytes(const struct envelope *envelope, struct str *to)
{
	str_addf(to, "DSSEv1 %zu %s %zu ", strlen(envelope->type), envelope->type,
		envelope->body.len);
	str_add_bytes(to, envelope->body.data ? envelope->body.data : "", envelope->body.len);
}

size_t envelope_count(const struct envelope *envelope, const struct key *key)
{
	struct str message = STR_INIT;
	size_t i, count = 0;

	add_signed_bytes(envelope, &message);
	for (i = 0; i < envelope->signature_count; i++)
		count += key_verifies(key, message.data, message.len,
			(const unsigned char *)envelope->signatures[i].bytes.data,
			envelope->signatures[i].bytes.len);
	str_release(&message);
	return count;
}

int envelope_sign(struct envelope *envelope, const struct key *key, struct error *err)
{
	struct str message = STR_INIT;
	struct envelope_signature *made = &envelope->signatures[envelope->signature_count];
	unsigned char bytes[KEY_SIGNATURE_BYTES];
	int rc;

	if (envelope_count(envelope, key))
		return 0;
	if (envelope->signature_count == ENVELOPE_SIGNATURES)
		return error_set(err, "there are %d signatures already", (int)ENVELOPE_SIGNATURES);
	add_signed_bytes(envelope, &message);
	rc = key_sign(key, message.data, message.len, bytes, err);
	str_release(&message);
	if (rc != 0)
		return -1;
	memset(made, 0, sizeof(*made));
	made->keyid = xstrdup(key_id(key));
	str_add_bytes(&made->bytes, bytes, sizeof(bytes));
	envelope->signature_count++;
	return 0;
}

/* --- reading --- */

static int read_base64(const json_t *object, const char *key, struct str *to, struct error *err)
{
	const json_t *value = json_object_get(object, key);

	if (!json_is_string(value))
		return error_set(err, "not a DSSE envelope: \"%s\" is missing or no text", key);
	if (base64_read(json_string_value(value), json_string_length(value), to, err) != 0)
		return error_prefix(err, "\"%s\"", key);
	return 0;
}

static int read_signature(const json_t *item, struct envelope *envelope, struct error *err)
{
	struct envelope_signature *to = &envelope->signatures[envelope->signature_count];
	const json_t *keyid = json_object_get(item, "keyid");

	memset(to, 0, sizeof(*to));
	if (!json_is_object(item))
		return error_set(err, "not a DSSE envelope: a signature is no object");
	if (keyid && !json_is_string(keyid) && !json_is_null(keyid))
		return error_set(err, "not a DSSE envelope: \"keyid\" is no text");
	if (read_base64(item, "sig", &to->bytes, err) != 0)
		return -1;
	to->keyid = json_is_string(keyid) ? xstrdup(json_string_value(keyid)) : NULL;
	envelope->signature_count++;
	return 0;
}

static void note_unknown(const json_t *object, const char *const *known, struct str *names)
{
	const char *key;
	json_t *value;

	json_object_foreach ((json_t *)(uintptr_t)object, key, value) {
		size_t i;

		for (i = 0; known[i] && strcmp(known[i], key) != 0; i++)
			;
		if (known[i])
			continue;
		str_add(names, names->len ? ", " : "");
		text_add_printable(names, key, strlen(key));
	}
}

static int read_members(const json_t *value, struct envelope *envelope, struct error *err)
{
	static const char *const outer[] = { "payload", "payloadType", "signatures", NULL };
	static const char *const inner[] = { "keyid", "sig", NULL };
	const json_t *signatures = json_object_get(value, "signatures"), *item;
	const char *type = json_text(value, "payloadType", NULL);
	size_t i;

	if (!json_is_object(value) || !type)
		return error_set(err, "not a DSSE envelope: \"payloadType\" is missing or no text");
	envelope->type = xstrdup(type);
	if (read_base64(value, "payload", &envelope->body, err) != 0)
		return -1;
	if (!json_is_array(signatures))
		return error_set(err, "not a DSSE envelope: \"signatures\" is missing or no list");
	if (!json_array_size(signatures))
		return error_set(err, "the envelope has no signature");
	if (json_array_size(signatures) > ENVELOPE_SIGNATURES)
		return error_set(err, "the envelope has %zu signatures; %d are looked at",
			json_array_size(signatures), (int)ENVELOPE_SIGNATURES);
	note_unknown(value, outer, &envelope->unsigned_members);
	json_array_foreach (signatures, i, item) {
		if (read_signature(item, envelope, err) != 0)
			return -1;
		note_unknown(item, inner, &envelope->unsigned_members);
	}
	return 0;
}

int envelope_parse(const char *bytes, size_t len, const char *name, struct envelope *envelope,
	struct error *err)
{
	struct envelope made = { 0 };
	json_error_t reason;
	json_t *value = json_loadb(bytes ? bytes : "", len, JSON_REJECT_DUPLICATES, &reason);
	int rc;

	if (!value) {
		char *shown = text_printable(reason.text, strlen(reason.text));

		error_set(err, "%s:%d: not valid JSON: %s", name, reason.line, shown);
		free(shown);
		return -1;
	}
	rc = read_members(value, &made, err);
	json_decref(value);
	if (rc == 0) {
		*envelope = made;
		return 0;
	}
	envelope_release(&made);
	return error_prefix(err, "%s", name);
}

int envelope_read(const char *path, struct envelope *envelope, struct error *err)
{
	struct str text = STR_INIT;
	int rc;

	if (file_read(path, envelope_bytes_max, &text, err) != 0)
		return -1;
	rc = envelope_parse(text.data, text.len, path, envelope, err);
	str_release(&text);
	return rc;
}

/* --- writing --- */

static json_t *base64_json(const struct str *bytes)
{
	struct str text = STR_INIT;
	json_t *value;

	base64_add(&text, bytes->data, bytes->len);
	value = json_stringn(text.data ? text.data : "", text.len);
	str_release(&text);
	return value;
}

int envelope_write(const char *path, const struct envelope *envelope, struct error *err)
{
	json_t *signatures = json_array(), *value;
	size_t i;
	int rc;

	for (i = 0; i < envelope->signature_count; i++) {
		const struct envelope_signature *each = &envelope->signatures[i];

		json_array_append_new(
			signatures, json_pack("{s:s, s:o}", "keyid", each->keyid ? each->keyid : "",
					    "sig", base64_json(&each->bytes)));
	}
	value = json_pack("{s:s, s:o, s:o}", "payloadType", envelope->type, "payload",
		base64_json(&envelope->body), "signatures", signatures);
	rc = json_write(path, value, err);
	json_decref(value);
	return rc;
}
