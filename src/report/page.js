/* SPDX-License-Identifier: Apache-2.0 */
"use strict";
/* Without this script the page says the same: it lays reference and output over one another, changes the exposure of
   what is shown, and opens for printing what is printed. It adds no markup but its own words. */
(() => {
  const make = (tag, name, text) => {
    const element = document.createElement(tag);
    if (name) element.className = name;
    if (text) element.textContent = text;
    return element;
  };

  /* The pictures of a scene by what they are and by their exposure in stops: {output: {"0": img, ...}, ...}. */
  const collect = (scene) => {
    const found = { reference: {}, output: {} };
    for (const image of scene.querySelectorAll("img[data-picture]")) {
      const kind = found[image.dataset.picture];
      if (kind) kind[image.dataset.stops] = image;
    }
    return found;
  };

  const addRange = (box, over) => {
    const label = make("label", "", "Drag to move the border between reference and output");
    const range = make("input");
    range.type = "range";
    range.min = 0;
    range.max = 100;
    range.value = 50;
    const move = () => {
      over.style.clipPath = "inset(0 0 0 " + range.value + "%)";
      range.setAttribute("aria-valuetext", range.value + " % reference, the rest output");
    };
    range.addEventListener("input", move);
    move();
    label.append(range);
    box.append(label);
  };

  const addExposures = (box, pictures, under, over) => {
    const stops = Object.keys(pictures.reference).filter((key) => pictures.output[key]);
    if (stops.length < 2) return;
    const buttons = stops.sort((a, b) => a - b).map((key) => {
      const button = make("button", "", (key > 0 ? "+" : "") + key + " stops");
      button.type = "button";
      button.setAttribute("aria-pressed", key === "0");
      button.addEventListener("click", () => {
        under.src = pictures.reference[key].src;
        over.src = pictures.output[key].src;
        for (const other of buttons) other.setAttribute("aria-pressed", other === button);
      });
      return button;
    });
    const group = make("div");
    group.setAttribute("role", "group");
    group.setAttribute("aria-label", "exposure");
    group.append(...buttons);
    box.append(group);
  };

  const copyOf = (image, alt) => {
    const copy = make("img");
    copy.alt = alt;
    copy.src = image.src;
    return copy;
  };

  /* Pictures of two sizes do not lie over one another. */
  const addSlider = (scene) => {
    const pictures = collect(scene), reference = pictures.reference["0"], output = pictures.output["0"];
    if (!reference || !output || reference.naturalWidth !== output.naturalWidth ||
        reference.naturalHeight !== output.naturalHeight) return;
    const box = make("div", "slider"), stack = make("div", "stack"), ends = make("div", "ends");
    const under = copyOf(reference, "reference"), over = copyOf(output, "output, laid over the reference");
    stack.append(under, over);
    ends.append(make("span", "", "left: reference"), make("span", "", "right: output"));
    box.append(stack, ends);
    addRange(box, over);
    addExposures(box, pictures, under, over);
    scene.querySelector(".pictures").before(box);
  };

  window.addEventListener("load", () => document.querySelectorAll(".scene").forEach(addSlider));

  let closed = [];
  window.addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("details:not([open]):not(.more)")];
    for (const part of closed) part.open = true;
  });
  window.addEventListener("afterprint", () => {
    for (const part of closed) part.open = false;
  });
})();
