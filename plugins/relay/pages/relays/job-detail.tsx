import { Anchor, Button, Drawer, Group, Stack, Table, Text, Timeline, Title } from '@mantine/core'
import { CheckIcon, SyncIcon, XIcon } from '@primer/octicons-react'
import type { ReactNode } from 'react'
import type { Paths } from 'sluice/api'
import type { Console } from 'sluice/sdk/console'
import type { Job, Kind } from './job.ts'
import { JobState } from './job-state.tsx'
import { WORDS } from './relays-words.ts'
import { StopButton } from './stop-button.tsx'

type Props = {
  readonly console: Console<Paths>
  readonly kind: Kind
  readonly job: Job
  /** It has ended since it was opened. */
  readonly isOver: boolean
  readonly onClose: () => void
  readonly onChanged: () => Promise<void>
}

type Step = Paths['GET /api/stream/progress/{streamPath}']['answer']['data']['steps'][number]

const REFRESH_MS = 2000

/** All that is known of a pull or push, beside the list. */
export function JobDetail({ console, kind, job, isOver, onClose, onChanged }: Props) {
  const words = console.words(WORDS)
  const { format } = console
  const { id, streamPath } = job
  const restart = async () => {
    const input = { params: { id: String(id) } }
    await console.change(() => console.api.call('POST /api/task/restart/{id}', input), words.restarted(streamPath))
    await onChanged()
  }
  const facts: readonly (readonly [string, ReactNode])[] = [
    [words.state, isOver ? words.isOver : <JobState job={job} kind={kind} words={words} />],
    [
      words.stream,
      <Anchor size="sm" {...console.link(console.streamPage(streamPath))} style={{ overflowWrap: 'anywhere' }}>
        {streamPath}
      </Anchor>,
    ],
    [words.address, job.url],
    [words.protocol, job.protocol],
    [words.origin, words.origins[job.origin] ?? job.origin],
    [words.media, job.state === 'running' ? format.bitrate(job.bps) : '–'],
    [words.sent, format.bytes(job.bytes)],
    [words.tries, format.number(job.tries)],
    [words.since, format.time(job.startTime)],
    ...(job.lastError === '' ? [] : [[words.lastError, job.lastError] as const]),
  ]
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size={460}
      title={streamPath}
      closeButtonProps={{ 'aria-label': words.close }}
    >
      <Stack>
        <Table aria-label={streamPath} verticalSpacing={6}>
          <Table.Tbody>
            {facts.map(([title, value]) => (
              <Table.Tr key={title}>
                <Table.Th scope="row" w={130} fw={400} c="dimmed" style={{ verticalAlign: 'top' }}>
                  {title}
                </Table.Th>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>{value}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
        {kind === 'pull' && !isOver && <Steps console={console} streamPath={streamPath} />}
        {!isOver && (
          <Group justify="flex-end">
            <Button size="xs" variant="default" disabled={!console.user.mayChange} onClick={() => void restart()}>
              {words.restart}
            </Button>
            <StopButton console={console} kind={kind} job={job} onStopped={onChanged} />
          </Group>
        )}
      </Stack>
    </Drawer>
  )
}

/** The progress of the latest try of a pull. */
function Steps({ console, streamPath }: { readonly console: Console<Paths>; readonly streamPath: string }) {
  const words = console.words(WORDS)
  const { data } = console.useCall(
    'GET /api/stream/progress/{streamPath}',
    { params: { streamPath } },
    { refreshMs: REFRESH_MS },
  )
  const { steps = [], currentStep = 0 } = data?.data ?? {}
  return (
    <Stack gap="sm" mih={140}>
      <Title order={2} size="h5">
        {words.steps}
      </Title>
      <Timeline active={currentStep} bulletSize={22} lineWidth={2}>
        {steps.map((step) => (
          <Timeline.Item
            key={`${step.name} ${step.startedAt}`}
            bullet={bulletOf(step)}
            title={words.stepNames[step.name] ?? step.name}
            {...(step.error !== '' && { color: 'red' })}
          >
            <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              {[console.format.time(step.startedAt), step.description, step.error].filter(Boolean).join(' · ')}
            </Text>
          </Timeline.Item>
        ))}
      </Timeline>
    </Stack>
  )
}

function bulletOf({ error, completedAt }: Step): ReactNode {
  if (error !== '') return <XIcon size={12} />
  return completedAt === '' ? <SyncIcon size={12} /> : <CheckIcon size={12} />
}
