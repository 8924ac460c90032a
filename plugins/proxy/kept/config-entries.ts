import type { Logger } from 'pino'
import { InvalidRequest, SluiceError } from 'sluice/sdk'
import type { PullProxyEntry, PushProxyEntry } from 'sluice/sdk'
import { newPullProxy, newPushProxy } from './proxy-fields.ts'
import { FIRST_UNKEPT_ID } from './proxy-roster.ts'
import type { PullProxySettings, PushProxySettings } from './proxy-settings.ts'
import type { ProxyTypes } from './proxy-type.ts'

/** Returns the entries of `global.pullproxy` as proxies; an invalid entry is logged and left out. */
export function configuredPulls(
  entries: readonly PullProxyEntry[],
  types: ProxyTypes,
  log: Logger,
): PullProxySettings[] {
  return settingsOf('pullproxy', entries, log, (entry, id) => {
    const { pull, record, pullonstart: beginsAlone, stoponidle: stopsOnIdle, checkinterval: checkIntervalMs } = entry
    const recording = { recordPath: record.filepath, recordFragmentMs: record.fragment }
    const fields = { ...common(entry), url: pull.url, beginsAlone, stopsOnIdle, checkIntervalMs, ...recording }
    return newPullProxy(id, fields, types, pull)
  })
}

/** Returns the entries of `global.pushproxy` as proxies; an invalid entry is logged and left out. */
export function configuredPushes(
  entries: readonly PushProxyEntry[],
  types: ProxyTypes,
  log: Logger,
): PushProxySettings[] {
  return settingsOf('pushproxy', entries, log, (entry, id) => {
    const { push, pushonstart: beginsAlone } = entry
    return newPushProxy(id, { ...common(entry), url: push.url, beginsAlone }, types, push)
  })
}

function common({
  name,
  type,
  streampath: streamPath,
  audio,
  parentid: parentId,
  description,
}: PullProxyEntry | PushProxyEntry) {
  return { name, type, streamPath, audio, parentId, description }
}

function settingsOf<Entry extends PullProxyEntry | PushProxyEntry, Settings>(
  key: string,
  entries: readonly Entry[],
  log: Logger,
  make: (entry: Entry, id: number) => Settings,
): Settings[] {
  const ids = new Set<number>()
  return entries.flatMap((entry, index) => {
    try {
      if (entry.id === 0 && entry.streampath === undefined) throw new InvalidRequest('it needs an id or a streampath')
      if (entry.id !== 0 && ids.has(entry.id)) throw new InvalidRequest(`its id ${entry.id} is that of another`)
      ids.add(entry.id)
      return [make(entry, entry.id || FIRST_UNKEPT_ID + index)]
    } catch (error) {
      if (!(error instanceof SluiceError)) throw error
      log.error(`global.${key}[${index}] is left out: ${error.message}`)
      return []
    }
  })
}
