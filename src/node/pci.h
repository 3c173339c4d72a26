/* SPDX-License-Identifier: Apache-2.0 */
/* What PCI and DRM say of the GPUs: sys/bus/pci/devices/<address>/ and sys/class/drm/renderD<minor>/device. */
#ifndef NODE_PCI_H
#define NODE_PCI_H

#include "node/node.h"

enum { PCI_VENDOR_AMD = 0x1002 };

/* Reads both lists below node->root_fd; never fails, an absent folder leaves pci_readable or drm_readable KNOWN_NO. */
void pci_read(struct node *node);

/* Enters what the lists say into node->gpus[from...], by address, by the card's address for a partition, and by unique id
 * where KFD tells no domain. A device whose unique id contradicts is not joined. */
void pci_join(struct node *node, size_t from);

/* The device of a GPU, as pci_join() finds it; NULL when there is none. */
const struct pci_device *pci_of(const struct node *node, const struct gpu *gpu);

/* Is it a GPU that the amdgpu driver holds? By vendor, class (display 03xx, accelerator 12xx) and driver. */
enum known pci_is_amdgpu(const struct pci_device *device);

/* Do two addresses differ in their function at most? */
bool pci_same_card(const char *a, const char *b);

/* A value of these folders: "0x1002", "16", "-1" (unknown). For hexadecimal digits without 0x: base 16. */
struct known_u64 pci_value_parse(const char *line, int base);

/* The address in the text of a uevent file ("PCI_SLOT_NAME=0000:c1:00.0"), "" when there is none. */
void pci_slot_parse(const char *text, size_t len, char bdf[NODE_BDF]);

#endif
