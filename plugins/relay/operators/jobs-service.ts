import {
  checkStreamPath,
  InvalidRequest,
  StreamNotFound,
  type Jobs,
  type PushJobs,
  type StreamManager,
} from 'sluice/sdk'
import { OPERATOR } from '../origins.ts'
import { awaitBegin } from './begin-wait.ts'

/** The retry policy of an operator's job, which is done once. */
const ONCE = { maxretry: 0, retryinterval: 0, proxy: '', header: {} }

/** The service `jobs`. */
export function createJobs(pushes: Pick<PushJobs, 'canPush' | 'start'>, streams: Pick<StreamManager, 'get'>): Jobs {
  return {
    async push({ protocol, streamPath, url }) {
      checkStreamPath(streamPath)
      // The address may hold secrets, so no message repeats it.
      if (!URL.canParse(url)) throw new InvalidRequest('the address of the target is none')
      if (!pushes.canPush(protocol)) throw new InvalidRequest(`no plugin pushes by ${protocol}`)
      if (streams.get(streamPath) === undefined) throw new StreamNotFound()
      await awaitBegin(pushes.start({ plugin: protocol, streamPath, rule: { url, ...ONCE }, origin: OPERATOR }))
    },
  }
}
