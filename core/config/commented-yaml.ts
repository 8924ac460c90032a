import { isCollection, type Document, type Node } from 'yaml'

/** Puts a value into a document, with a comment behind it. */
export function setCommented(document: Document, path: readonly string[], value: unknown, comment: string): void {
  const node: Node = document.createNode(value)
  // In block style, the comment would end up behind the last element.
  if (isCollection(node)) node.flow = true
  node.comment = ` ${comment}`
  document.setIn(path, node)
}
