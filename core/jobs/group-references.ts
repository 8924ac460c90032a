/** A regular expression's match, as `exec` gives it. */
type Groups = readonly (string | undefined)[]

/**
 * Fills the groups of a match in for `$0` to `$9`. Clients choose what they hold, so within an address they are encoded: they
 * can't leave the part of it that they stand in.
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
