import type { Place } from './config-error.ts'
import { GlobalConfig } from 'sluice/sdk/host'
import { nearestKey, normalizeKey } from './key-name.ts'

/** A section of the file for which there is no plugin (yet). */
export type UndeclaredSection = {
  /** In the user's spelling. */
  readonly name: string
  readonly place: Place
  /** Where its keys most likely belong: the name of another section, or a key of `global`. */
  readonly meant: string | undefined
}

/** Names of plugins that servers of this family have (config.md 1): one of them is no slip, though another is near. */
export const FAMILY: ReadonlySet<string> = new Set(
  (
    'rtmp rtsp flv hls llhls mp4 webrtc webtransport srt gb28181 snap transcode sei rtp crontab debug test ' +
    'cascadeserver cascadeclient logrotate onvif room preview mcp vmlog crypto cluster monitor stress'
  ).split(' '),
)

const GLOBAL_KEYS = new Map(Object.keys(GlobalConfig.properties).map((name) => [normalizeKey(name), name]))

/** What the name of a section without a plugin is most likely meant to be, beside the sections that have one. */
export function meantSection(name: string, sections: readonly string[]): string | undefined {
  const normalized = normalizeKey(name)
  const globalKey = GLOBAL_KEYS.get(normalized)
  if (globalKey !== undefined) return `global.${globalKey}`
  return FAMILY.has(normalized) ? undefined : nearestKey(name, ['global', ...sections])
}

/** What a person is told of such a section. */
export function undeclaredRemark({ name, meant }: UndeclaredSection): string {
  return meant === undefined
    ? `there is no plugin '${name}' (yet)`
    : `there is no plugin '${name}', did you mean '${meant}'?`
}
