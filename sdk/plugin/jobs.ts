/** A stream to push for an operator. */
export type PushInit = {
  /** The plugin that pushes, by its name; it provides `push:` and that. */
  readonly protocol: string
  readonly streamPath: string
  /** The address of the target. */
  readonly url: string
}

/** The server's work with other servers, as plugins ask for it. Each job is a task that operators see and can stop. */
export interface Jobs {
  /**
   * Sends a stream to a target, and waits a little for the target to take it. The job ends when the stream does, or fails; it
   * is not tried again.
   * @throws {InvalidRequest} the address is not valid, or no plugin pushes by this protocol
   * @throws {StreamNotFound} nobody publishes the stream
   * @throws {SluiceError} 409: it is sent there already; 502: the target could not be reached or refused; 503: the server is
   *   stopping
   */
  push(init: PushInit): Promise<void>
}
