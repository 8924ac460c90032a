/** One operation of the API: the parts of its request, and the JSON of its answer, as `Paths` of `sluice/api` has them. */
export type Call = {
  readonly params?: unknown
  readonly query?: unknown
  readonly body?: unknown
  readonly answer?: unknown
  /** The type of one server-sent event; `never` for operations without. */
  readonly event?: unknown
}

/** Operations by method and path: `'GET /api/stream/list'`. */
export type Operations = { readonly [Key: string]: Call }

/** The parts of a request that an operation takes; a part with a field that must be there is itself one. */
export type CallInput<Operation> = Part<Operation, 'params'> & Part<Operation, 'query'> & Part<Operation, 'body'>

type Part<Operation, Name extends string> = Operation extends { readonly [Key in Name]: infer Value }
  ? [Value] extends [undefined]
    ? unknown
    : {} extends Value
      ? { readonly [Key in Name]?: Value }
      : { readonly [Key in Name]: Value }
  : unknown

/** The arguments after the operation: its input, which is left out where nothing of it must be there, and a signal. */
export type CallArguments<Operation> =
  {} extends CallInput<Operation>
    ? [input?: CallInput<Operation> | undefined, signal?: AbortSignal]
    : [input: CallInput<Operation>, signal?: AbortSignal]

type Field<Operation, Name extends string> = Operation extends { readonly [Key in Name]: infer Value } ? Value : never

/** The API of the server, asked as the user of the console. */
export interface Api<Paths = Operations> {
  /**
   * Asks an operation.
   * @returns the JSON of its answer, a text for a text, and a `Blob` for bytes
   * @throws {Error} with the server's message when it refuses; `status` is that of HTTP, `code` the server's own
   */
  call<Key extends keyof Paths & string>(
    operation: Key,
    ...rest: CallArguments<Paths[Key]>
  ): Promise<Field<Paths[Key], 'answer'>>
  /** Sends a request whose answer nobody waits for, and which goes out though its page is being left. */
  send<Key extends keyof Paths & string>(operation: Key, input: CallInput<Paths[Key]>): void
  /** The values of an operation with server-sent events, until the signal aborts or the server ends them. */
  events<Key extends keyof Paths & string>(
    operation: Key,
    input: CallInput<Paths[Key]> | undefined,
    signal: AbortSignal,
  ): AsyncIterable<Field<Paths[Key], 'event'>>
  /** The address of a path on this server as the page reaches it: below the path of a reverse proxy, too. */
  url(path: string): string
  /**
   * The same for media, which the gates guard: with the query that lets an admin pass, as far as one is asked for. Users who may only
   * look get none.
   * @param session the plugin that serves the media, the stream, and for how long the address is to hold, by default half an hour
   * @throws {Error} when the plugin does not run
   */
  mediaUrl(
    path: string,
    session: { readonly plugin: string; readonly streamPath: string; readonly seconds?: number },
  ): Promise<string>
}
