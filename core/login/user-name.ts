import { InvalidRequest } from 'sluice/sdk'

/** The longest name, in characters of its normalised form. */
const MAX_NAME_LENGTH = 64
const NAME = new RegExp(String.raw`^[\p{L}\p{N}][\p{L}\p{M}\p{N}._@+-]{0,${MAX_NAME_LENGTH - 1}}$`, 'u')

/**
 * Returns a user's name in its one spelling: compatibility forms and upper case make no difference (as UsernameCaseMapped of
 * RFC 8265).
 * @returns undefined for a text that can't be a name
 */
export function userNameOf(text: string): string | undefined {
  // A longer text can't be a name: no character takes more than a few code units.
  if (text.length > 4 * MAX_NAME_LENGTH) return undefined
  const name = text.normalize('NFKC').toLowerCase().normalize('NFKC')
  return NAME.test(name) ? name : undefined
}

/** @throws {InvalidRequest} for a text that can't be a name */
export function checkUserName(text: string): string {
  const name = userNameOf(text)
  if (name === undefined) {
    throw new InvalidRequest(`the name of a user is 1 to ${MAX_NAME_LENGTH} letters, digits and any of . _ - @ +`)
  }
  return name
}
