import { ActionIcon, Menu } from '@mantine/core'
import { KebabHorizontalIcon, PencilIcon, PlusIcon, TrashIcon } from '@primer/octicons-react'
import { useState } from 'react'
import { useConsole } from '../console-context.ts'
import type { GroupChanges } from './group-changes.ts'
import { GroupDialog, type GroupTask } from './group-dialog.tsx'
import type { GroupItem, TreeItem } from './tree-items.ts'
import { TREE_WORDS } from './tree-words.ts'

export type TreeActionsProps = {
  /** The item that was chosen last. */
  readonly item: TreeItem | undefined
  readonly groups: readonly GroupItem[]
  readonly changes: GroupChanges
}

/** A menu of what can be done to groups, and with the channel that is chosen. */
export function TreeActions({ item, groups, changes }: TreeActionsProps) {
  const console = useConsole()
  const words = console.words(TREE_WORDS)
  const [task, setTask] = useState<GroupTask>()
  const root = groups.find(({ isRoot }) => isRoot)
  const group = item?.kind === 'group' ? item : undefined
  const channel = item?.kind === 'channel' ? item : undefined
  const groupId = channel?.groupId
  return (
    <>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <ActionIcon variant="default" size="md" aria-label={words.actions}>
            <KebabHorizontalIcon />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            leftSection={<PlusIcon />}
            disabled={root === undefined}
            onClick={() => root !== undefined && setTask({ kind: 'add', above: root })}
          >
            {words.newGroup}
          </Menu.Item>
          {group !== undefined && (
            <>
              <Menu.Item leftSection={<PlusIcon />} onClick={() => setTask({ kind: 'add', above: group })}>
                {words.newGroupBelow(group.name)}
              </Menu.Item>
              <Menu.Item leftSection={<PencilIcon />} onClick={() => setTask({ kind: 'rename', group })}>
                {words.rename(group.name)}
              </Menu.Item>
              <Menu.Item leftSection={<TrashIcon />} color="red" onClick={() => setTask({ kind: 'delete', group })}>
                {words.delete(group.name)}
              </Menu.Item>
            </>
          )}
          {channel !== undefined && (
            <Menu.Item leftSection={<PlusIcon />} onClick={() => setTask({ kind: 'member', channel })}>
              {words.addToGroup(channel.name)}
            </Menu.Item>
          )}
          {channel !== undefined && groupId !== undefined && (
            <Menu.Item
              leftSection={<TrashIcon />}
              onClick={() => void console.change(() => changes.removeChannel(groupId, channel))}
            >
              {words.removeFromGroup(channel.name)}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {task !== undefined && (
        <GroupDialog task={task} groups={groups} changes={changes} onClose={() => setTask(undefined)} />
      )}
    </>
  )
}
