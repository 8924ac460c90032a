import { InvalidRequest } from 'sluice/sdk'

/** In characters, after it was normalised. */
const MAX_NAME_LENGTH = 64
const NAME = new RegExp(String.raw`^[\p{L}\p{N}][\p{L}\p{M}\p{N}._@+-]{0,${MAX_NAME_LENGTH - 1}}$`, 'u')

/**
 * The one spelling of a user's name: compatibility forms and upper case make no difference (as UsernameCaseMapped of RFC
 * 8265).
 * @returns undefined where nobody can have the name
 */
export function userNameOf(text: string): string | undefined {
  // Longer texts are not worth the work; no character takes more than a few code units.
  if (text.length > 4 * MAX_NAME_LENGTH) return undefined
  const name = text.normalize('NFKC').toLowerCase().normalize('NFKC')
  return NAME.test(name) ? name : undefined
}

/** @throws {InvalidRequest} when nobody can have the name */
export function checkUserName(text: string): string {
  const name = userNameOf(text)
  if (name === undefined) {
    throw new InvalidRequest(`the name of a user is 1 to ${MAX_NAME_LENGTH} letters, digits and any of . _ - @ +`)
  }
  return name
}
