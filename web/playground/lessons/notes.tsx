export function showNotes(_: Element) {}
