import { ActionIcon, Anchor, Button, Group, Stack } from '@mantine/core'
import { PencilIcon, PlusIcon, TrashIcon } from '@primer/octicons-react'
import { useState } from 'react'
import { clockOf } from '../calendar.ts'
import { NameDialog } from './name-dialog.tsx'
import type { PageConsole } from '../page-console.ts'
import { WORDS } from '../recordings-words.ts'
import type { RecordedTag } from './use-day.ts'

type TagListProps = {
  readonly console: PageConsole
  readonly streamPath: string
  readonly tags: readonly RecordedTag[] | undefined
  /** The time of a new tag. */
  readonly atMs: number
  readonly onPick: (ms: number) => void
  readonly onChange: () => Promise<void>
}

/** The tags of a day: they are added at the time that is shown, renamed and deleted. */
export function TagList({ console, streamPath, tags, atMs, onPick, onChange }: TagListProps) {
  const words = console.words(WORDS)
  const { DataTable, ConfirmButton } = console.components
  const { mayChange } = console.user
  const [named, setNamed] = useState<RecordedTag | 'new'>()
  const [newMs, setNewMs] = useState(atMs)

  const save = async (tagName: string) => {
    if (named === 'new' || named === undefined) {
      const tagTime = new Date(newMs).toISOString()
      await console.api.call('POST /mp4/api/tag/add', { body: { tagName, streamPath, tagTime } })
    } else {
      await console.api.call('POST /mp4/api/tag/update/{id}', { params: { id: named.id }, body: { tagName } })
    }
    console.notify(words.saved)
    await onChange()
  }
  const remove = async (id: number) => {
    await console.change(() => console.api.call('POST /mp4/api/tag/delete/{id}', { params: { id } }), words.deleted)
    await onChange()
  }
  return (
    <Stack gap="sm">
      {mayChange && (
        <Group>
          <Button
            size="xs"
            variant="light"
            leftSection={<PlusIcon />}
            onClick={() => {
              setNewMs(atMs)
              setNamed('new')
            }}
          >
            {words.addTag}
          </Button>
        </Group>
      )}
      <DataTable
        label={words.tags}
        rows={tags}
        rowKey={({ id }) => String(id)}
        empty={words.tagsEmpty}
        columns={[
          {
            key: 'time',
            title: words.time,
            render: ({ atMs: ms }) => (
              <Anchor component="button" size="sm" onClick={() => onPick(ms)}>
                {clockOf(ms)}
              </Anchor>
            ),
          },
          { key: 'name', title: words.tagName, render: ({ name }) => name },
          {
            key: 'actions',
            title: words.actions,
            align: 'end',
            render: (tag) => (
              <Group gap={4} justify="flex-end" wrap="nowrap">
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  disabled={!mayChange}
                  aria-label={words.renameTag(tag.name)}
                  onClick={() => setNamed(tag)}
                >
                  <PencilIcon />
                </ActionIcon>
                <ConfirmButton
                  label={words.deleteTag(tag.name)}
                  question={words.deleteTagQuestion(tag.name)}
                  isDisabled={!mayChange}
                  onConfirm={() => remove(tag.id)}
                >
                  <TrashIcon />
                </ConfirmButton>
              </Group>
            ),
          },
        ]}
      />
      {named !== undefined && (
        <NameDialog
          console={console}
          title={named === 'new' ? words.tagAt(clockOf(newMs)) : words.rename}
          label={words.tagName}
          name={named === 'new' ? '' : named.name}
          onSave={save}
          onClose={() => setNamed(undefined)}
        />
      )}
    </Stack>
  )
}
