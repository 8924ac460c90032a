import { Box, Button, Group, Stack, Switch, Text } from '@mantine/core'
import { PlusIcon } from '@primer/octicons-react'
import { useState } from 'react'
import { NEW_PLAN, PAGE, type PageConsole, type Plan } from '../page-console.ts'
import { WORDS } from '../plans-words.ts'
import { countOf, readHours } from '../week-hours.ts'
import { summaryText } from '../summary.ts'
import { WeekPicture } from './week-picture.tsx'

const PAGE_SIZE = 20
const REFRESH_MS = 10_000

/** The plans, each with a picture of its week. */
export function PlanList({ console }: { readonly console: PageConsole }) {
  const words = console.words(WORDS)
  const { PageFrame, DataTable, Problem } = console.components
  const [page, setPage] = useState(1)
  const { data, error, refresh } = console.useCall(
    'GET /plan/api/list',
    { query: { pageNum: page, pageSize: PAGE_SIZE } },
    { refreshMs: REFRESH_MS },
  )
  const turn = async ({ id, name }: Plan, enable: boolean) => {
    const done = enable ? words.turnedOn : words.turnedOff
    await console.change(
      () => console.api.call('POST /plan/api/update/{id}', { params: { id }, body: { enable } }),
      done(name || words.nameless),
    )
    await refresh()
  }
  return (
    <PageFrame
      title={words.title}
      description={words.description}
      actions={
        console.user.mayChange && (
          <Button leftSection={<PlusIcon />} onClick={() => console.navigate(`${PAGE}/${NEW_PLAN}`)}>
            {words.add}
          </Button>
        )
      }
    >
      {error !== undefined && <Problem error={error} onRetry={() => void refresh()} />}
      {(error === undefined || data !== undefined) && (
        <DataTable
          label={words.title}
          rows={data?.data}
          rowKey={({ id }) => String(id)}
          empty={words.empty}
          onOpen={({ id }) => console.navigate(`${PAGE}/${id}`)}
          paging={{ page, pageSize: PAGE_SIZE, total: data?.totalCount ?? 0, onPage: setPage }}
          columns={[
            { key: 'name', title: words.name, render: ({ name }) => name || words.nameless },
            {
              key: 'hours',
              title: words.hours,
              render: ({ plan }) => {
                const hours = readHours(plan)
                return (
                  <Group gap="md" wrap="nowrap">
                    <WeekPicture hours={hours} />
                    <Stack gap={0} visibleFrom="sm">
                      <Text size="sm">{summaryText(console, hours)}</Text>
                      <Text size="xs" c="dimmed">
                        {words.hoursAWeek(countOf(hours))}
                      </Text>
                    </Stack>
                  </Group>
                )
              },
            },
            {
              key: 'enabled',
              title: words.enabled,
              align: 'end',
              render: (plan) => (
                <Box display="inline-block" onClick={(event) => event.stopPropagation()}>
                  <Switch
                    aria-label={words.enabledOf(plan.name || words.nameless)}
                    checked={plan.enable}
                    disabled={!console.user.mayChange}
                    onChange={({ currentTarget }) => void turn(plan, currentTarget.checked)}
                  />
                </Box>
              ),
            },
          ]}
        />
      )}
    </PageFrame>
  )
}
