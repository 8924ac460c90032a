import { CommandError } from '../command-error.ts'
import type { Prompt } from './prompt.ts'

/**
 * The new password of a user: a person types it twice, and where there is no terminal, it is the first line of the input.
 * @throws {CommandError} when there is none, or the two differ
 */
export async function askNewPassword(prompt: Prompt, user: string): Promise<string> {
  const password = await prompt.askSecret(`Password of ${user}`)
  if (prompt.isTerminal && (await prompt.askSecret('Again')) !== password) {
    throw new CommandError('that was another password; nothing was done')
  }
  return password
}
