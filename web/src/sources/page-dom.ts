/**
 * Reads a document without running code of the page. A form's fields are properties of the form
 * (`form.parentNode` may be an input), and custom elements and expandos may have getters: so properties are
 * read only through the prototypes of the platform.
 *
 * @see https://dom.spec.whatwg.org/#node
 */

const getters: { [name: string]: (() => unknown) | undefined } = {}

/** Looks a getter up once: in Firefox, `Reflect.get` takes ten times as long. */
function get<T>(prototype: object, name: string, of: Node): T {
  getters[name] ??= Object.getOwnPropertyDescriptor(prototype, name)?.get
  return getters[name]?.call(of) as T
}
const node = <T>(name: keyof Node, of: Node) => get<T>(Node.prototype, name, of)
const element = <T>(name: keyof Element, of: Element) => get<T>(Element.prototype, name, of)

/** Elements with a name are properties of the document: `document.body` may be a picture. */
export const ofDocument = <T>(name: keyof Document) =>
  Reflect.get(Document.prototype, name, document) as T
export const rootElement = () => ofDocument<HTMLElement>('documentElement')

const firstChild = (of: Node) => node<ChildNode | null>('firstChild', of)
const nextSibling = (of: Node) => node<ChildNode | null>('nextSibling', of)
export const contains = (outer: Node, inner: Node) => Node.prototype.contains.call(outer, inner)

/** HTML elements: in lower case. */
export const tagOf = (of: Element) => element<string>('localName', of)
export const shadowOf = (of: Element) => element<ShadowRoot | null>('shadowRoot', of)
export const matches = (of: Element, selector: string) =>
  Element.prototype.matches.call(of, selector)
export const isRendered = (of: Element, options?: CheckVisibilityOptions) =>
  Element.prototype.checkVisibility.call(of, options)
export const rectOf = (of: Element) => Element.prototype.getBoundingClientRect.call(of)
export const propertyOf = (of: Element, name: keyof Element) => element<number>(name, of)

export function attribute(of: Element, name: string): string | undefined {
  return Element.prototype.getAttribute.call(of, name) ?? undefined
}

export function isElement(one: Node): one is Element {
  return node<number>('nodeType', one) === 1
}

export function isAriaHidden(of: Element): boolean {
  return attribute(of, 'aria-hidden')?.trim().toLowerCase() === 'true'
}

/** ARIA roles of editable elements. */
const writtenInto = /(?:^|\s)(?:textbox|searchbox|combobox|spinbutton)(?:\s|$)/i

/**
 * Whether a user edits an element like a field: `contenteditable`, an `EditContext`, or the role of a field.
 * Its content is a value, not text of the page.
 */
export function isDraft(of: Element): boolean {
  const editable = attribute(of, 'contenteditable')
  if (editable !== undefined && /^(?:true|plaintext-only|)$/i.test(editable)) return true
  const role = attribute(of, 'role')
  if (role !== undefined && writtenInto.test(role)) return true
  return (
    of instanceof HTMLElement &&
    (Reflect.get(HTMLElement.prototype, 'editContext', of) ?? null) !== null
  )
}

/** Whether a mutation is within editable content, and not of the editable element itself. */
export function isOfDraft({ target, type }: MutationRecord): boolean {
  for (let at: Node | null = target; at !== null; ) {
    if (isElement(at) && (at !== target || type !== 'attributes') && isDraft(at)) return true
    const here: Node = at
    at = node<Node | null>('parentNode', here) ?? (here instanceof ShadowRoot ? here.host : null)
  }
  return false
}

/** Text, or a CDATA section. */
export function isText(one: Node): one is Text {
  const type = node<number>('nodeType', one)
  return type === 3 || type === 4
}

export const dataOf = (text: Text) => get<string>(CharacterData.prototype, 'data', text)

/** In the document or, for labels that are named by id, in the tree of `scope`. */
export function all(selector: string, scope: Node = document): Element[] {
  const { prototype } = scope instanceof Document ? Document : DocumentFragment
  return [...prototype.querySelectorAll.call(scope as Document, selector)]
}

/** The outermost of some elements, which are in the order of the document. */
export function outermost(elements: readonly Element[]): Element[] {
  const found: Element[] = []
  for (const element of elements) {
    const before = found.at(-1)
    if (before === undefined || !contains(before, element)) found.push(element)
  }
  return found
}

export function treeOf(of: Node): Node {
  return Node.prototype.getRootNode.call(of)
}

/** Children as they are rendered: of the shadow tree if there is an open one, and in their slots. */
export function childrenOf(of: Node): ChildNode[] {
  if (of instanceof HTMLSlotElement) {
    const assigned = HTMLSlotElement.prototype.assignedNodes.call(of)
    if (assigned.length > 0) return assigned as ChildNode[]
  }
  const children: ChildNode[] = []
  let child = firstChild((isElement(of) && shadowOf(of)) || of)
  for (; child !== null; child = nextSibling(child)) children.push(child)
  return children
}

/** The parent of an element as rendered; `undefined`: none, or it is in no slot. */
export function parentOf(of: Node): Element | undefined {
  const parent = node<Node | null>('parentNode', of)
  if (parent instanceof ShadowRoot) return Reflect.get(ShadowRoot.prototype, 'host', parent)
  if (parent === null || !isElement(parent)) return undefined
  if (shadowOf(parent) === null) return parent
  if (!isElement(of) && !isText(of)) return undefined
  const { prototype } = isElement(of) ? Element : Text
  return (Reflect.get(prototype, 'assignedSlot', of) as Element | null) ?? undefined
}

/** Whether a node is in one of the elements, shadow trees included. */
export function isWithin(roots: readonly Element[], inner: Node): boolean {
  for (let at: Node | null = inner; at !== null; ) {
    const here: Node = at
    if (roots.some((root) => contains(root, here))) return true
    const tree = treeOf(here)
    at = tree instanceof ShadowRoot ? tree.host : null
  }
  return false
}
