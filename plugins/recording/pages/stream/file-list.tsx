import { ActionIcon, Anchor, Badge, Group, Stack } from '@mantine/core'
import { DownloadIcon, TrashIcon } from '@primer/octicons-react'
import { useState } from 'react'
import { clockOf, type TimeRange } from '../calendar.ts'
import { download, fileAddress } from './media-address.ts'
import type { PageConsole, RecordedFile, Subject } from '../page-console.ts'
import { WORDS } from '../recordings-words.ts'

const PAGE_SIZE = 10

type FileListProps = {
  readonly console: PageConsole
  readonly subject: Subject
  readonly day: TimeRange
  readonly files: readonly RecordedFile[] | undefined
  readonly onPick: (ms: number) => void
  readonly onChange: () => Promise<void>
}

/** The files of a day, the newest first: each is played, downloaded and deleted. */
export function FileList({ console, subject, day, files, onPick, onChange }: FileListProps) {
  const words = console.words(WORDS)
  const { format } = console
  const { DataTable, ConfirmButton } = console.components
  const { mayChange } = console.user
  const [page, setPage] = useState(1)
  const newest = files?.toReversed()
  const last = Math.max(1, Math.ceil((newest?.length ?? 0) / PAGE_SIZE))
  const shown = Math.min(page, last)
  const own = (files ?? []).filter(({ fromMs, isActive }) => fromMs >= day.fromMs && !isActive)

  const remove = async (ids: readonly number[]) => {
    const { type, streamPath } = subject
    const params = { type, streamPath }
    await console.change(
      () => console.api.call('POST /api/record/{type}/delete/{streamPath}', { params, body: { ids: [...ids] } }),
      words.deleted,
    )
    await onChange()
  }
  return (
    <Stack gap="sm">
      <DataTable
        label={words.files}
        rows={newest?.slice((shown - 1) * PAGE_SIZE, shown * PAGE_SIZE)}
        rowKey={({ id }) => String(id)}
        empty={words.filesEmpty}
        paging={{ page: shown, pageSize: PAGE_SIZE, total: newest?.length ?? 0, onPage: setPage }}
        columns={[
          {
            key: 'time',
            title: words.time,
            render: ({ fromMs, toMs, isActive }) => (
              <Group gap="xs">
                <Anchor component="button" size="sm" onClick={() => onPick(fromMs)}>
                  {`${clockOf(fromMs)} – ${clockOf(toMs)}`}
                </Anchor>
                {isActive && (
                  <Badge size="sm" color="red" variant="light" tt="none">
                    {words.beingWritten}
                  </Badge>
                )}
              </Group>
            ),
          },
          {
            key: 'length',
            title: words.length,
            align: 'end',
            render: ({ fromMs, toMs }) => format.duration(toMs - fromMs),
          },
          { key: 'size', title: words.size, align: 'end', render: ({ sizeBytes }) => format.bytes(sizeBytes) },
          { key: 'codecs', title: words.codecs, isMinor: true, render: ({ codecs }) => codecs },
          {
            key: 'actions',
            title: words.actions,
            align: 'end',
            render: (file) => (
              <Group gap={4} justify="flex-end" wrap="nowrap">
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={words.downloadFile(clockOf(file.fromMs))}
                  onClick={() => void download(console, fileAddress(console, subject, file))}
                >
                  <DownloadIcon />
                </ActionIcon>
                <ConfirmButton
                  label={words.deleteFile(clockOf(file.fromMs))}
                  question={words.deleteFileQuestion(clockOf(file.fromMs), format.bytes(file.sizeBytes))}
                  isDisabled={!mayChange || file.isActive}
                  onConfirm={() => remove([file.id])}
                >
                  <TrashIcon />
                </ConfirmButton>
              </Group>
            ),
          },
        ]}
      />
      {mayChange && own.length > 0 && (
        <Group>
          <ConfirmButton
            question={words.deleteDayQuestion(own.length, format.bytes(sum(own)))}
            onConfirm={() => remove(own.map(({ id }) => id))}
          >
            {words.deleteDay}
          </ConfirmButton>
        </Group>
      )}
    </Stack>
  )
}

function sum(files: readonly RecordedFile[]): number {
  return files.reduce((total, { sizeBytes }) => total + sizeBytes, 0)
}
