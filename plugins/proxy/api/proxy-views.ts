import { maskTarget, maskUrl } from 'sluice/sdk'
import type { ProxyState } from '../health/proxy-state.ts'
import { FIRST_UNKEPT_ID } from '../kept/proxy-roster.ts'
import type { ProxySettings, PullProxySettings, PushProxySettings } from '../kept/proxy-settings.ts'
import type { PullProxyView, PushProxyView } from './proxy-schemas.ts'

/** Returns a proxy as `PullProxy` of the API: its settings, and its present state. */
export function pullProxyView(proxy: PullProxySettings, state: ProxyState): PullProxyView {
  return {
    ...commonView(proxy, state),
    pullURL: maskUrl(proxy.rule.url),
    pullOnStart: proxy.beginsAlone,
    stopOnIdle: proxy.stopsOnIdle,
    recordPath: proxy.recordPath,
    recordFragment: durationView(proxy.recordFragmentMs),
    checkInterval: durationView(proxy.checkIntervalMs),
  }
}

/** Returns a proxy as `PushProxy` of the API. */
export function pushProxyView(proxy: PushProxySettings, state: ProxyState): PushProxyView {
  return { ...commonView(proxy, state), pushURL: maskTarget(proxy.rule.url), pushOnStart: proxy.beginsAlone }
}

function commonView(proxy: ProxySettings, { status, rttMs, error }: ProxyState) {
  const { id, createdMs, updatedMs, parentId, name, type, audio, description, streamPath } = proxy
  return {
    ID: id,
    createTime: new Date(createdMs).toISOString(),
    updateTime: new Date(updatedMs).toISOString(),
    parentID: parentId,
    name,
    type,
    status,
    error,
    isFixed: id >= FIRST_UNKEPT_ID,
    audio,
    description,
    rtt: rttMs,
    streamPath,
  }
}

function durationView(durationMs: number): string {
  return `${durationMs / 1000}s`
}
