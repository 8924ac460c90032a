import type { HookRegistry, StreamTask, StreamTaskEnd, SubscriberInfo } from 'sluice/sdk'
import type { Happening } from './alarm-event.ts'
import type { Alarms } from './alarms.ts'

/** Raises the events of the server when their hooks are called. */
export function raiseByHooks(hooks: HookRegistry, alarms: Pick<Alarms, 'raise' | 'start'>): void {
  hooks.on('started', () => alarms.start())
  hooks.on('published', ({ path: streamPath, pluginName }) =>
    alarms.raise('publish_start', pluginName, () => ({ streamPath, description: `published by ${pluginName}` })),
  )
  hooks.on('unpublished', ({ path: streamPath, pluginName }, { text }) =>
    alarms.raise('publish_end', pluginName, () => ({
      streamPath,
      description: `published by ${pluginName}: ${text}`,
    })),
  )
  hooks.on('subscribed', (viewer) => {
    if (viewer.type === 'server') alarms.raise('subscribe_start', viewer.pluginName, () => viewing(viewer))
  })
  hooks.on('unsubscribed', (viewer, { text }) => {
    if (viewer.type === 'server') alarms.raise('subscribe_end', viewer.pluginName, () => viewing(viewer, text))
  })
  hooks.on('taskBegan', (task) => alarms.raise(`${task.kind}_start`, task.plugin, () => working(task)))
  hooks.on('taskEnded', (task, end) => alarms.raise(`${task.kind}_end`, task.plugin, () => working(task, end)))
  hooks.on('alarm', (alarm) => alarms.raise(alarm.name, alarm.plugin, () => alarm))
}

function viewing({ streamPath, pluginName, remoteAddr }: SubscriberInfo, reason = ''): Happening {
  return { streamPath, description: withReason(`played by ${pluginName} from ${remoteAddr}`, reason) }
}

function working({ streamPath, filePath, description }: StreamTask, end?: StreamTaskEnd): Happening {
  const isRetried = end?.isRetried === true ? ', and is tried again' : ''
  return { streamPath, filePath, description: withReason(description, `${end?.reason ?? ''}${isRetried}`) }
}

function withReason(what: string, reason: string): string {
  return reason === '' ? what : `${what}: ${reason}`
}
