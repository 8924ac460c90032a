import { Anchor, ActionIcon, Box, Group, Stack, Switch, Text } from '@mantine/core'
import { PencilIcon, TrashIcon } from '@primer/octicons-react'
import type { MouseEvent } from 'react'
import type { Paths } from 'sluice/api'
import type { Column, Console, DataTableProps } from 'sluice/sdk/console'
import { DISABLED, nameOf, OFFLINE, type Kind, type Proxy } from './proxy.ts'
import { ProxyState } from './proxy-state.tsx'
import { WORDS } from './proxies-words.ts'

type Props = Pick<DataTableProps<Proxy>, 'rows' | 'empty' | 'paging'> & {
  readonly console: Console<Paths>
  readonly kind: Kind
  readonly onEdit: (proxy: Proxy) => void
  readonly onChanged: () => Promise<void>
}

/** The proxies of a page of the list. */
export function ProxyTable({ console, kind, onEdit, ...rest }: Props) {
  const { DataTable } = console.components
  const words = console.words(WORDS)
  const { mayChange } = console.user
  return (
    <DataTable<Proxy>
      label={words.kinds[kind]}
      rows={rest.rows}
      empty={rest.empty}
      {...(rest.paging && { paging: rest.paging })}
      rowKey={({ ID }) => String(ID)}
      {...(mayChange && { onOpen: (proxy: Proxy) => !proxy.isFixed && onEdit(proxy) })}
      columns={columnsOf({ console, kind, onEdit, ...rest })}
    />
  )
}

function columnsOf({ console, kind, onEdit, onChanged }: Props): readonly Column<Proxy>[] {
  const { format, user } = console
  const { ConfirmButton } = console.components
  const words = console.words(WORDS)
  const enable = async (proxy: Proxy, isEnabled: boolean) => {
    const body = { ID: proxy.ID, status: isEnabled ? OFFLINE : DISABLED }
    const done = isEnabled ? words.isEnabled(nameOf(proxy)) : words.isDisabled(nameOf(proxy))
    await console.change(() => console.api.call(`POST /api/proxy/${kind}/update`, { body }), done)
    await onChanged()
  }
  const remove = async (proxy: Proxy) => {
    const input = { params: { id: proxy.ID } }
    await console.change(
      () => console.api.call(`POST /api/proxy/${kind}/remove/{id}`, input),
      words.removed(nameOf(proxy)),
    )
    await onChanged()
  }
  return [
    {
      key: 'state',
      title: words.state,
      render: (proxy) => <ProxyState proxy={proxy} kind={kind} words={words} />,
    },
    {
      key: 'name',
      title: words.name,
      render: ({ name, description }) => (
        <Stack gap={2} maw={280}>
          <Text size="sm" fw={500}>
            {name || '–'}
          </Text>
          {description !== '' && (
            <Text size="xs" c="dimmed" lineClamp={2}>
              {description}
            </Text>
          )}
        </Stack>
      ),
    },
    {
      key: 'address',
      title: words.address,
      render: ({ address, type }) => (
        <Stack gap={2}>
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {address}
          </Text>
          {!isTold(type, address) && (
            <Text size="xs" c="dimmed">
              {type}
            </Text>
          )}
        </Stack>
      ),
    },
    {
      key: 'stream',
      title: words.stream,
      render: ({ streamPath }) => (
        <Anchor size="sm" {...console.link(console.streamPage(streamPath))} style={{ overflowWrap: 'anywhere' }}>
          {streamPath}
        </Anchor>
      ),
    },
    {
      key: 'begins',
      title: words.begins,
      isMinor: true,
      render: ({ beginsAlone }) => (beginsAlone ? words.atOnce : words.onDemand[kind]),
    },
    {
      key: 'rtt',
      title: words.rtt,
      align: 'end',
      isMinor: true,
      render: ({ rtt }) => (rtt === 0 ? '–' : words.ms(format.number(rtt))),
    },
    {
      key: 'enabled',
      title: words.enabled,
      render: (proxy) => (
        <Box onClick={stayHere} w="max-content">
          <Switch
            aria-label={words.enable(nameOf(proxy))}
            checked={proxy.status !== DISABLED}
            disabled={!user.mayChange || proxy.isFixed}
            onChange={({ currentTarget }) => void enable(proxy, currentTarget.checked)}
          />
        </Box>
      ),
    },
    {
      key: 'actions',
      title: words.actions,
      render: (proxy) =>
        proxy.isFixed ? (
          <Text size="xs" c="dimmed">
            {words.fixed}
          </Text>
        ) : (
          <Group gap={6} wrap="nowrap" onClick={stayHere}>
            <ActionIcon
              variant="light"
              size={30}
              aria-label={words.edit(nameOf(proxy))}
              disabled={!user.mayChange}
              onClick={() => onEdit(proxy)}
            >
              <PencilIcon />
            </ActionIcon>
            <ConfirmButton
              label={words.remove(nameOf(proxy))}
              question={words.removeQuestion(nameOf(proxy))}
              isDisabled={!user.mayChange}
              onConfirm={() => remove(proxy)}
            >
              <TrashIcon />
            </ConfirmButton>
          </Group>
        ),
    },
  ]
}

/** Keeps a click on a button from opening its row. */
function stayHere(event: MouseEvent): void {
  event.stopPropagation()
}

/** True where the scheme of an address is the name of its protocol. */
function isTold(type: string, address: string): boolean {
  return address.startsWith(`${type}:`) || address.startsWith(`${type}s:`)
}
