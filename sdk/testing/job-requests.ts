import type { PullRequest } from '../stream/pull.ts'
import type { PushRequest } from '../stream/push.ts'
import { directDialer } from './direct-dialer.ts'

const CLIENT = { ip: '', port: 0, userAgent: 'test' }

/** The fields of a pull or push that a test sets; the others have the host's defaults. */
type Job<Request> = Partial<Request> & { readonly url: string; readonly streamPath: string }

/** A request as the host makes it of a pull rule, for the `PullService` of a plugin. */
export function pullRequest({
  streamPath,
  signal = new AbortController().signal,
  ...given
}: Job<PullRequest>): PullRequest {
  return {
    file: undefined,
    header: {},
    loop: 0,
    args: {},
    options: {},
    dial: directDialer,
    signal,
    step() {},
    session: {
      streamPath,
      type: 'pull',
      url: '',
      query: '',
      client: CLIENT,
      signal,
    },
    ...given,
  }
}

/** A request as the host makes it of a push rule, for the `PushService` of a plugin. */
export function pushRequest({
  streamPath,
  signal = new AbortController().signal,
  ...given
}: Job<PushRequest>): PushRequest {
  return {
    header: {},
    dial: directDialer,
    signal,
    step() {},
    begun() {},
    session: {
      streamPath,
      type: 'push',
      url: '',
      query: '',
      client: CLIENT,
      signal,
    },
    ...given,
  }
}
