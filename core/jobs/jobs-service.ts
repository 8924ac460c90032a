import { checkStreamPath, InvalidRequest, type Jobs } from 'sluice/sdk'
import type { PushManager } from './push-manager.ts'

/** The retry policy of an operator's job, which is done once. */
const ONCE = { maxretry: 0, retryinterval: 0, proxy: '', header: {} }

/** The service `jobs` of the server. */
export function createJobs(pushes: Pick<PushManager, 'canPush' | 'request'>): Jobs {
  return {
    async push({ protocol, streamPath, url }) {
      checkStreamPath(streamPath)
      // The address may hold secrets, so no message repeats it.
      if (!URL.canParse(url)) throw new InvalidRequest('the address of the target is none')
      if (!pushes.canPush(protocol)) throw new InvalidRequest(`no plugin pushes by ${protocol}`)
      await pushes.request({ plugin: protocol, streamPath, rule: { url, ...ONCE } })
    },
  }
}
