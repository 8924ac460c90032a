import { nearestKey } from '../config/key-name.ts'
import type { Section } from '../config/section.ts'

/** The protocols of the contract (spec.md, What the service does), whose plugins need not be there. */
const PROTOCOLS = ['rtmp', 'webrtc', 'srt', 'rtsp', 'webtransport', 'hls', 'flv', 'mp4']
const FILTERS = ['signed_policy.protocols', 'admission_webhook.protocols']

/** Says which filters of the gates name what is no protocol: a slip there would leave a gate open. */
export function unknownProtocols(sections: readonly Section[]): string[] {
  const known = new Set([...PROTOCOLS, ...sections.map(({ name }) => name)])
  return sections.flatMap((section) =>
    FILTERS.flatMap((key) => {
      const setting = section.settings.get(key)
      if (setting?.source !== 'file' && setting?.source !== 'env') return []
      const unknown = (setting.value as readonly string[]).filter((protocol) => !known.has(protocol))
      return unknown.map((protocol) => `${section.name}.${key}: ${messageFor(protocol, known)}`)
    }),
  )
}

function messageFor(protocol: string, known: ReadonlySet<string>): string {
  const nearest = nearestKey(protocol, known)
  const hint = nearest === undefined ? '' : `, did you mean '${nearest}'?`
  return `there is neither a protocol nor a plugin '${protocol}'${hint}`
}
