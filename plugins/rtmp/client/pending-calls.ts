import type { Command } from '../wire/message/command.ts'
import { RtmpClientError } from './client-error.ts'

/** The most calls that wait for an answer at a time. */
const MAX_PENDING_CALLS = 16

type PendingCall = {
  readonly timer: NodeJS.Timeout
  readonly answer: (command: Command) => void
  readonly fail: (error: Error) => void
}

/** The calls of a client that wait for an answer. */
export class PendingCalls {
  readonly #calls = new Map<number, PendingCall>()

  /**
   * Waits for the answer to a call.
   * @param onLate called when there is none in time; the call then still waits
   * @throws {RtmpClientError} when too many calls wait
   */
  add(transactionId: number, timeoutMs: number, onLate: () => void): Promise<Command> {
    if (this.#calls.size === MAX_PENDING_CALLS) return Promise.reject(new RtmpClientError('too many calls at once'))
    const { promise, resolve, reject } = Promise.withResolvers<Command>()
    this.#calls.set(transactionId, { timer: setTimeout(onLate, timeoutMs), answer: resolve, fail: reject })
    return promise
  }

  /** Takes a command that may be an answer. */
  take(command: Command): void {
    const call = command.name.startsWith('_') ? this.#calls.get(command.transactionId) : undefined
    if (call === undefined) return
    this.#calls.delete(command.transactionId)
    clearTimeout(call.timer)
    call.answer(command)
  }

  /** Rejects every call that waits. */
  fail(error: Error): void {
    for (const { timer, fail } of this.#calls.values()) {
      clearTimeout(timer)
      fail(error)
    }
    this.#calls.clear()
  }
}
