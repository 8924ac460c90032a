/**
 * What lies between two slashes of an address, with its percent-encoding undone: stream paths are text. A part that is
 * not well encoded stays as it is; a stray percent sign stands for itself.
 */
export function decodePathPart(part: string): string {
  if (!part.includes('%')) return part
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
