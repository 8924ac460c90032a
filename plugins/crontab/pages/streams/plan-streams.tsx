import { Badge, Group, Stack, Switch } from '@mantine/core'
import { TrashIcon } from '@primer/octicons-react'
import { useState } from 'react'
import type { PageConsole, PlanStream } from '../page-console.ts'
import { WORDS } from '../plans-words.ts'
import { AddStreamDialog, TYPE_NAMES } from './add-stream-dialog.tsx'

const PAGE_SIZE = 10
const REFRESH_MS = 4000

type PlanStreamsProps = { readonly console: PageConsole; readonly planId: number }

/** The streams that a plan records, and whether each is being recorded now. */
export function PlanStreams({ console, planId }: PlanStreamsProps) {
  const words = console.words(WORDS)
  const { DataTable, ConfirmButton, Problem } = console.components
  const { mayChange } = console.user
  const [page, setPage] = useState(1)
  const { data, error, refresh } = console.useCall(
    'GET /planstream/api/list',
    { query: { planId, pageNum: page, pageSize: PAGE_SIZE } },
    { refreshMs: REFRESH_MS },
  )
  if (error !== undefined && data === undefined) return <Problem error={error} onRetry={() => void refresh()} />

  const remove = async ({ streamPath, recordType }: PlanStream) => {
    const params = removalOf(planId, streamPath, recordType)
    await console.change(
      () => console.api.call('POST /planstream/api/remove/{planId}/{streamPath}', { params }),
      words.streamRemoved,
    )
    await refresh()
  }
  const turn = async ({ streamPath, recordType }: PlanStream, enable: boolean) => {
    const body = { streamPath, recordType, enable }
    const done = enable ? words.turnedOn : words.turnedOff
    await console.change(() => console.api.call('POST /planstream/api/update', { body }), done(streamPath))
    await refresh()
  }
  return (
    <Stack gap="sm">
      {mayChange && (
        <Group>
          <AddStreamDialog console={console} planId={planId} onAdded={refresh} />
        </Group>
      )}
      <DataTable
        label={words.streams}
        rows={data?.data}
        rowKey={({ streamPath, recordType }) => `${recordType}/${streamPath}`}
        empty={words.streamsEmpty}
        paging={{ page, pageSize: PAGE_SIZE, total: data?.totalCount ?? 0, onPage: setPage }}
        columns={[
          { key: 'stream', title: words.stream, render: ({ streamPath }) => streamPath },
          { key: 'type', title: words.type, render: ({ recordType }) => TYPE_NAMES[recordType] ?? recordType },
          { key: 'fragment', title: words.fragment, isMinor: true, render: ({ fragment }) => fragment },
          { key: 'folder', title: words.folder, isMinor: true, render: ({ filePath }) => filePath },
          {
            key: 'now',
            title: words.now,
            render: ({ isRecording }) => (
              <Badge variant="light" tt="none" color={isRecording ? 'red' : 'gray'}>
                {isRecording ? words.recording : words.notRecording}
              </Badge>
            ),
          },
          {
            key: 'enabled',
            title: words.enabled,
            render: (stream) => (
              <Switch
                aria-label={words.enabledOf(stream.streamPath)}
                checked={stream.enable}
                disabled={!mayChange}
                onChange={({ currentTarget }) => void turn(stream, currentTarget.checked)}
              />
            ),
          },
          {
            key: 'actions',
            title: words.actions,
            align: 'end',
            render: (stream) => (
              <ConfirmButton
                label={words.removeStream(stream.streamPath)}
                question={words.removeStreamQuestion(stream.streamPath)}
                isDisabled={!mayChange}
                onConfirm={() => remove(stream)}
              >
                <TrashIcon />
              </ConfirmButton>
            ),
          },
        ]}
      />
    </Stack>
  )
}

/** By its type, as the plan may record the stream in another one, too; but a path that begins with a number would be read as a plan. */
function removalOf(planId: number, streamPath: string, recordType: string) {
  const isNumber = /^\d+(?:\/|$)/u.test(streamPath)
  return isNumber ? { planId: String(planId), streamPath } : { planId: streamPath, streamPath: recordType }
}
