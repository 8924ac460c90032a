/** The groups of a regular expression's match, as `exec` returns them. */
type Groups = readonly (string | undefined)[]

/**
 * Replaces `$0` to `$9` by the groups of a match. Clients choose their contents, so they are encoded within an address, and
 * can't leave their part of it.
 */
export function fillGroups(url: string, groups: Groups): string {
  const isAddress = url.includes('://')
  return url.replaceAll(/\$(\d)/gu, (reference, digit: string) => {
    if (Number(digit) >= groups.length) return reference
    const text = groups[Number(digit)] ?? ''
    return isAddress ? text.split('/').map(encoded).join('/') : text
  })
}

function encoded(part: string): string {
  return encodeURIComponent(part.toWellFormed())
}
