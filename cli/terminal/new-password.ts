import { CommandError } from '../command-error.ts'
import type { Prompt } from './prompt.ts'

/**
 * Asks for the new password of a user: a person types it twice; without a terminal, it is the first line of the input.
 * @throws {CommandError} when there is no password, or the two differ
 */
export async function askNewPassword(prompt: Prompt, user: string): Promise<string> {
  const password = await prompt.askSecret(`Password of ${user}`)
  if (prompt.isTerminal && (await prompt.askSecret('Again')) !== password) {
    throw new CommandError('that was another password; nothing was done')
  }
  return password
}
