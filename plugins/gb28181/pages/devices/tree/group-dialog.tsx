import { Select, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { NamedChannel } from '../channel.ts'
import { useConsole } from '../console-context.ts'
import type { GroupChanges } from './group-changes.ts'
import { groupPaths } from './group-tree.ts'
import type { GroupItem } from './tree-items.ts'
import { TREE_WORDS } from './tree-words.ts'

/** A change of groups that asks for something more. */
export type GroupTask =
  | { readonly kind: 'add'; readonly above: GroupItem }
  | { readonly kind: 'rename'; readonly group: GroupItem }
  | { readonly kind: 'delete'; readonly group: GroupItem }
  | { readonly kind: 'member'; readonly channel: NamedChannel }

export type GroupDialogProps = {
  readonly task: GroupTask
  readonly groups: readonly GroupItem[]
  readonly changes: GroupChanges
  readonly onClose: () => void
}

const MAX_NAME = 255

/** Asks for the name of a group, for a group for a channel, or whether a group is to go. */
export function GroupDialog({ task, groups, changes, onClose }: GroupDialogProps) {
  const console = useConsole()
  const words = console.words(TREE_WORDS)
  const { FormDialog } = console.components
  const [name, setName] = useState(task.kind === 'rename' ? task.group.name : '')
  const [groupId, setGroupId] = useState<string | null>(null)
  const paths = groupPaths(groups)
  const wanted = paths.find((path) => String(path.groupId) === groupId)
  const isReady = task.kind === 'delete' || (task.kind === 'member' ? wanted !== undefined : name.trim() !== '')

  const act = async () => {
    if (task.kind === 'add') await changes.add(task.above.groupId, name.trim())
    else if (task.kind === 'rename') await changes.rename(task.group.groupId, name.trim())
    else if (task.kind === 'delete') await changes.remove(task.group.groupId)
    else if (wanted !== undefined) await changes.addChannel({ ...wanted, name: wanted.path }, task.channel)
  }
  return (
    <FormDialog
      title={titleOf(task, words)}
      submitText={task.kind === 'delete' ? words.delete(task.group.name) : words.save}
      isReady={isReady}
      isDestructive={task.kind === 'delete'}
      onSubmit={act}
      onClose={onClose}
    >
      {task.kind === 'delete' && <Text size="sm">{words.deleteQuestion(task.group.name)}</Text>}
      {task.kind === 'member' && (
        <Select
          label={words.group}
          searchable
          data-autofocus
          data={paths.map(({ groupId: id, path }) => ({ value: String(id), label: path }))}
          value={groupId}
          onChange={setGroupId}
        />
      )}
      {(task.kind === 'add' || task.kind === 'rename') && (
        <TextInput
          label={words.groupName}
          data-autofocus
          maxLength={MAX_NAME}
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
      )}
    </FormDialog>
  )
}

function titleOf(task: GroupTask, words: typeof TREE_WORDS.en): string {
  if (task.kind === 'add') return words.newGroup
  if (task.kind === 'member') return words.addToGroup(task.channel.name)
  return task.kind === 'rename' ? words.rename(task.group.name) : words.delete(task.group.name)
}
