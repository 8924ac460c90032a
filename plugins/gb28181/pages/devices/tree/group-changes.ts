import type { NamedChannel } from '../channel.ts'
import { useConsole } from '../console-context.ts'
import type { GroupItem } from './tree-items.ts'
import { TREE_WORDS } from './tree-words.ts'

type GroupName = Pick<GroupItem, 'groupId' | 'name'>

/** The changes of groups. Each says so when it is done, and has the tree asked for again. @throws {Error} with the server's message */
export type GroupChanges = ReturnType<typeof useGroupChanges>

/** @param onChange is called after each change */
export function useGroupChanges(onChange: () => void) {
  const console = useConsole()
  const { api } = console
  const words = console.words(TREE_WORDS)
  const done = async (action: Promise<unknown>, text: string) => {
    try {
      await action
      console.notify(text)
    } finally {
      onChange()
    }
  }
  const members = (groupId: number, { deviceId, channelId }: NamedChannel) => {
    return { params: { groupId }, body: [{ deviceId, channelId }] }
  }
  return {
    add: (pid: number, name: string) =>
      done(api.call('POST /gb28181/api/groups/add', { body: { name, pid } }), words.groupAdded),
    rename: (id: number, name: string) =>
      done(api.call('POST /gb28181/api/groups/update', { body: { id, name } }), words.groupRenamed),
    remove: (id: number) =>
      done(api.call('POST /gb28181/api/groups/delete/{id}', { params: { id } }), words.groupDeleted),
    addChannel({ groupId, name }: GroupName, channel: NamedChannel) {
      const input = { ...members(groupId, channel), query: { replace: false } }
      return done(
        api.call('POST /gb28181/api/groups/channel/add/{groupId}', input),
        words.channelAdded(channel.name, name),
      )
    },
    removeChannel: (groupId: number, channel: NamedChannel) =>
      done(
        api.call('POST /gb28181/api/groups/channel/delete/{groupId}', members(groupId, channel)),
        words.channelRemoved(channel.name),
      ),
  }
}
