// The class or tag of each text whose contrast is less than WCAG's 4.5, and the contrast.
(() => {
  const rgb = text => text.match(/[\d.]+/g).map(Number);
  const paper = element => {
    for (let one = element; one; one = one.parentElement) {
      const colour = rgb(getComputedStyle(one).backgroundColor);
      if (colour.length === 3 || colour[3] > 0.99) return colour;
    }
    return [255, 255, 255];
  };
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map(
      c => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const found = [];
  for (const element of document.querySelectorAll('body *:not(svg *)')) {
    const texts = [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim());
    if (!texts || !element.checkVisibility({ visibilityProperty: true })) continue;
    const [one, other] = [light(rgb(getComputedStyle(element).color)), light(paper(element))];
    const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    if (ratio < 4.5) found.push([element.className || element.tagName, ratio]);
  }
  return found;
})()
