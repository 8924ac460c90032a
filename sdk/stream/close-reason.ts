/**
 * The kinds of end that a publisher or subscriber can come to:
 *
 * | code       | what happened                                                                                       |
 * | ---------- | --------------------------------------------------------------------------------------------------- |
 * | `closed`   | its plugin closed it, for a reason that only the text tells                                         |
 * | `left`     | its peer went                                                                                       |
 * | `timeout`  | a publisher was not heard for `publishtimeout`, sent no media for `mediatimeout`, or its source was |
 * |            | paused for `pausetimeout`; a subscriber got no publisher within `waittimeout`                       |
 * | `idle`     | nobody subscribed to the publisher's stream for `idletimeout` or `delayclosetimeout`                |
 * | `kick`     | another publisher took the path, as `kickexist` allows                                              |
 * | `slow`     | the subscriber's sink took nothing for `stalltimeout`, or fell behind where it may not skip         |
 * | `stopped`  | an operator ended it                                                                                |
 * | `unloaded` | its plugin was unloaded, or the server is stopping                                                  |
 * | `failed`   | its muxer, sink or unit reader threw                                                                |
 */
export type CloseCode = 'closed' | 'left' | 'timeout' | 'idle' | 'kick' | 'slow' | 'stopped' | 'unloaded' | 'failed'

/** The reason why a publisher or subscriber ended. */
export type CloseReason = {
  /** The code for programs. */
  readonly code: CloseCode
  /** The text for logs and people, for example `publish timeout`; its wording may change. */
  readonly text: string
}

/** The reason for the end of a session when its peer has gone. */
export const CLIENT_LEFT: CloseReason = { code: 'left', text: 'the client left' }
