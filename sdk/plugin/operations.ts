import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Static, TObject, TSchema, TUndefined, TVoid } from 'typebox'

/**
 * The access to an operation or a route: `admin` for users that may change things; `user` for all users, who may look;
 * `public` for everybody, as for media and for devices that upload. While login is off, `admin` and `user` are clients on the
 * server's own machine, and pages of other sites may do no more than read what is for users.
 */
export type Access = 'admin' | 'user' | 'public'

/**
 * The access to a route that is no operation: the same, or `page` for the files of an administration page. Browsers open such a page
 * without a token, for people to log in there. So it is for all who may ask the administration: everybody while login is on,
 * clients on the server's own machine while it is off. Addresses that answer no administration have no such page.
 */
export type RouteAccess = Access | 'page'

/** The input of a handler, read by the schemas of its operation. */
export type OperationInput<Params extends TSchema, Query extends TSchema, Body extends TSchema> = {
  readonly params: Static<Params>
  readonly query: Static<Query>
  readonly body: Static<Body>
  /** The name of the user, with `token:` before that of a token; `anonymous` while login is off. */
  readonly user: string
  /**
   * The request as it came in, for its headers and `requestClient`; the fields above are what the schemas read of it. Where
   * another process has received it, it has nothing else.
   */
  readonly request: IncomingMessage
  /** Aborts when the client leaves before it is answered. */
  readonly signal: AbortSignal
}

/** The answer of a handler: a value of the schema's type, in which fields may be left out as unset. */
export type OperationAnswer<Answer> = Answer extends readonly (infer Item)[]
  ? readonly OperationAnswer<Item>[]
  : Answer extends object
    ? { readonly [Field in keyof Answer]?: OperationAnswer<Answer[Field]> | undefined }
    : Answer

/**
 * A list of which only the page that a client asks for is made: an array, or an object that makes a part of it when it is
 * asked for one.
 */
export type AnswerList<Item> = {
  readonly length: number
  slice(start: number, end: number): readonly OperationAnswer<Item>[]
}

/** The values that a handler may return. */
export type OperationResult<Answer> =
  | OperationAnswer<Answer>
  | (Answer extends readonly (infer Item)[] ? AnswerList<Item> : never)

/**
 * Which processes of the server answer, where there are several:
 *
 * | reach | |
 * | --- | --- |
 * | `here` | the one that is asked: for what they all know |
 * | `one` | the one that does what only one process may do |
 * | `all` | every one; answers that are lists are joined |
 * | `{ all: (answers) => … }` | every one; the function makes one answer of theirs |
 * | `{ stream: 'streamPath' }` | the one that has the stream which this parameter or field names |
 * | `{ session: 'id' }` | the one that has the session with this id |
 *
 * A process that does not answer in time is left out of what all answer to a `GET`. Any other operation is then answered with 503:
 * a change may have been made in some processes alone.
 */
export type OperationReach<Answer> =
  | 'here'
  | 'one'
  | 'all'
  | { all(answers: readonly OperationAnswer<Answer>[]): OperationAnswer<Answer> }
  | { readonly stream: string }
  | { readonly session: string }

/**
 * A route of the administration: its access, its input and its answer.
 *
 * Requests may write names in camelCase and in snake_case, and leave out fields that the schemas don't require; names that no
 * schema has are ignored. Answers have the names of the schema, and all its fields: an unset field is empty, zero, false or
 * null, and only fields that are `Type.Optional` are then left out.
 */
export type Operation<
  Params extends TObject = TObject<{}>,
  Query extends TObject = TObject<{}>,
  Body extends TSchema = TUndefined,
  Answer extends TSchema = TVoid,
> = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /**
   * A path below each of the plugin's mounts (`api/start/{id}`), or, with a slash first, an absolute path: below `/api/`, or
   * below one mount of the plugin, where nothing else of it then has the path. A last part that is a `StreamPath` takes the
   * rest of the path, with its slashes.
   */
  readonly path: string
  /** Further spellings: other paths, or other methods and paths, as `GET api/begin/{id}`. */
  readonly aliases?: readonly string[]
  /** The effect in a few words; it names the operation in the API's description. */
  readonly summary: string
  readonly params?: Params
  readonly query?: Query
  /** The schema of the whole body, which may be no object: a list, or a text. A request without a body counts as an empty object. */
  readonly body?: Body
  /** The schema of the answer; left out where success has no contents. */
  readonly answer?: Answer
  /** The access; unless set, `user` for reading (`GET`) and `admin` for changing. */
  readonly access?: Access
  /**
   * How the answer goes out: as `data` beside `code` and `message` (`envelope`, the default), with its fields beside these
   * (`fields`), or alone (`bare`; for a `GET` also as `?format=yaml`, or in another envelope as `?format=json`). `empty` is the
   * status 204 and no body.
   */
  readonly wire?: 'envelope' | 'fields' | 'bare' | 'empty'
  /**
   * The media type of an answer that goes out as it is; its schema is then a string, or {@link Bytes}. `wire` has no meaning
   * beside it.
   */
  readonly contentType?: string
  /**
   * The handler answers a whole list, of which a client gets the page that `pageNum` (from 1) and `pageSize` ask for; without
   * these, all. Where making an item costs something, answer an {@link AnswerList}.
   */
  readonly paged?: boolean
  /**
   * How errors are answered: by their status, with the gRPC code in the body (`gateway`, the default); as a 200 with their
   * status as `code` in the body where the handler throws them (`in-band`); or as problem details (`problem`, RFC 9457).
   */
  readonly errors?: 'gateway' | 'in-band' | 'problem'
  /** Default `here`. */
  readonly reach?: OperationReach<Static<Answer>>
  /**
   * Answers a request. An error that it throws is answered, too: a `SluiceError` with its status and message, any other as
   * `internal error`.
   */
  handle(
    input: OperationInput<Params, Query, Body>,
  ): OperationResult<Static<Answer>> | Promise<OperationResult<Static<Answer>>>
}

/**
 * Server-sent events, each with the JSON of one value. A client that asks with `?format=json`, `?format=yaml` or
 * `Accept: application/json` gets the first value alone.
 */
export type EventsOperation<
  Params extends TObject = TObject<{}>,
  Query extends TObject = TObject<{}>,
  Event extends TSchema = TSchema,
> = Pick<Operation<Params, Query>, 'path' | 'aliases' | 'summary' | 'params' | 'query' | 'access'> & {
  /** The schema of one value. */
  readonly event: Event
} & (
    | {
        /** Returns the present value. It is called again and again, at the interval that `interval` in the query sets (default 1 s). */
        read(
          input: OperationInput<Params, Query, TUndefined>,
        ): OperationAnswer<Static<Event>> | Promise<OperationAnswer<Static<Event>>>
      }
    | {
        /**
         * Returns the values as they come, until the signal aborts. The next is asked for when the client has taken the
         * previous ones, so the source drops those that come meanwhile. An error before the first value is answered as an
         * operation's.
         */
        events(input: OperationInput<Params, Query, TUndefined>): AsyncIterable<OperationAnswer<Static<Event>>>
      }
  )

/** A WebSocket of the administration. `open` is called for clients with its access alone. */
export type SocketOperation<Params extends TObject = TObject<{}>, Query extends TObject = TObject<{}>> = {
  /** The path, as that of an operation. */
  readonly path: string
  readonly summary: string
  readonly params?: Params
  readonly query?: Query
  /** Default `admin`. */
  readonly access?: Access
  /** Answers the upgrade, as `handleUpgrade` of `ws` does; the host waits for a promise. An error is answered as an operation's. */
  open(
    input: Omit<OperationInput<Params, Query, TUndefined>, 'body' | 'signal'> & {
      readonly socket: Duplex
      readonly head: Buffer
    },
  ): void | Promise<void>
}

/** The administration, as a plugin adds to it during `setup`; unloading the plugin undoes that. */
export interface OperationRegistry {
  /**
   * Adds an operation.
   * @throws {Error} when the definition contradicts itself, or a spelling is the server's, another plugin's, or there already
   */
  add<
    Params extends TObject = TObject<{}>,
    Query extends TObject = TObject<{}>,
    Body extends TSchema = TUndefined,
    Answer extends TSchema = TVoid,
  >(
    operation: Operation<Params, Query, Body, Answer>,
  ): void
  /**
   * Adds an operation that answers with server-sent events.
   * @throws {Error} as `add`
   */
  events<Params extends TObject = TObject<{}>, Query extends TObject = TObject<{}>, Event extends TSchema = TSchema>(
    operation: EventsOperation<Params, Query, Event>,
  ): void
  /**
   * Adds a WebSocket.
   * @throws {Error} as `add`
   */
  socket<Params extends TObject = TObject<{}>, Query extends TObject = TObject<{}>>(
    operation: SocketOperation<Params, Query>,
  ): void
}
