import type { Place } from './config-error.ts'
import { GlobalConfig } from 'sluice/sdk/host'
import { nearestKey, normalizeKey } from './key-name.ts'

/** A section of the file without a plugin (yet). */
export type UndeclaredSection = {
  /** The name in the user's spelling. */
  readonly name: string
  readonly place: Place
  /** The name of the section or the key of `global` that the keys most likely belong to; undefined when none is close. */
  readonly meant: string | undefined
}

/**
 * Names of plugins that servers of this family have (config.md 1): such a name is no spelling error, even when it resembles
 * another.
 */
export const FAMILY: ReadonlySet<string> = new Set(
  (
    'rtmp rtsp flv hls llhls mp4 webrtc webtransport srt gb28181 snap transcode sei rtp crontab debug test ' +
    'cascadeserver cascadeclient logrotate onvif room preview mcp vmlog crypto cluster monitor stress'
  ).split(' '),
)

const GLOBAL_KEYS = new Map(Object.keys(GlobalConfig.properties).map((name) => [normalizeKey(name), name]))

/** The name that a section without a plugin was most likely meant to have; undefined when none is close. */
export function meantSection(name: string, sections: readonly string[]): string | undefined {
  const normalized = normalizeKey(name)
  const globalKey = GLOBAL_KEYS.get(normalized)
  if (globalKey !== undefined) return `global.${globalKey}`
  return FAMILY.has(normalized) ? undefined : nearestKey(name, ['global', ...sections])
}

/** The text of the error or warning about such a section. */
export function undeclaredRemark({ name, meant }: UndeclaredSection): string {
  return meant === undefined
    ? `there is no plugin '${name}' (yet)`
    : `there is no plugin '${name}', did you mean '${meant}'?`
}
