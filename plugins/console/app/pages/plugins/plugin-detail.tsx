import { Alert, Anchor, Card, Code, Group, Skeleton, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Console } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'
import { usePluginPages } from '../../shell/plugin-pages.ts'
import { PluginActions } from './plugin-actions.tsx'
import { portsOf, type Plugin } from './plugin-list.ts'
import { PluginState } from './plugin-state.tsx'
import type { WORDS } from './plugin-words.ts'

type Props = {
  readonly console: Console<Paths>
  readonly name: string
  readonly plugins: readonly Plugin[] | undefined
  readonly error: Error | undefined
  readonly refresh: () => Promise<void>
  readonly words: (typeof WORDS)['en']
}

/** One plugin: whether it runs, where it is reached, and what is done to it. */
export function PluginDetail({ console, name, plugins, error, refresh, words }: Props) {
  const { PageFrame, Problem } = console.components
  const plugin = plugins?.find((one) => one.name === name)
  return (
    <PageFrame
      title={name}
      description={plugin?.description['description']}
      actions={plugin && <PluginActions console={console} plugin={plugin} refresh={refresh} words={words} />}
    >
      <Anchor size="sm" underline="always" {...console.link('/plugins')}>
        {words.back}
      </Anchor>
      {error !== undefined && <Problem error={error} onRetry={() => void refresh()} />}
      {plugins === undefined && <Skeleton height={240} />}
      {plugins !== undefined && plugin === undefined && <Text>{words.notFound(name)}</Text>}
      {plugin !== undefined && <Facts console={console} plugin={plugin} words={words} />}
    </PageFrame>
  )
}

function Facts({ console, plugin, words }: Pick<Props, 'console' | 'words'> & { readonly plugin: Plugin }) {
  const { version, generation, disableReason, lastError, userConfig = '', http, httpTLS } = plugin.description
  const { pushAddr, playAddr, description } = plugin
  const ports = [portsOf(plugin), http && `HTTP ${http}`, httpTLS && `HTTPS ${httpTLS}`]
  return (
    <Stack gap="md">
      {disableReason !== undefined && (
        <Alert color="orange" title={words.whyNot}>
          {disableReason}
        </Alert>
      )}
      {lastError !== undefined && (
        <Alert color="red" title={words.lastError}>
          {lastError}
        </Alert>
      )}
      <Card withBorder>
        <Stack gap="xs">
          <Fact name={words.state}>
            <PluginState plugin={plugin} words={words} />
          </Fact>
          <Fact name={words.version}>{version}</Fact>
          <Fact name={words.generation} note={words.generationNote}>
            {generation}
          </Fact>
          <Fact name={words.ports}>{ports.filter(Boolean).join(', ') || '–'}</Fact>
          <PagesOf console={console} name={plugin.name} title={words.pages} />
        </Stack>
      </Card>
      <Addresses
        title={words.addresses}
        groups={[
          { title: words.push, addresses: pushAddr },
          { title: words.play, addresses: playAddr },
          { title: words.pull, addresses: listOf(description['pullAddr']) },
          { title: words.download, addresses: listOf(description['downloadAddr']) },
        ]}
      />
      <Card withBorder>
        <Group justify="space-between" mb="xs">
          <Title order={2} size="h4">
            {words.ownConfig}
          </Title>
          <Anchor size="sm" underline="always" {...console.link(`/config/${encodeURIComponent(plugin.name)}`)}>
            {words.config}
          </Anchor>
        </Group>
        {userConfig === '' ? (
          <Text size="sm" c="dimmed">
            {words.nothingSet}
          </Text>
        ) : (
          <Code block>{userConfig}</Code>
        )}
        <Text size="xs" c="dimmed" mt="sm">
          {words.holds}
        </Text>
      </Card>
    </Stack>
  )
}

function Fact({
  name,
  note,
  children,
}: {
  readonly name: string
  readonly note?: string
  readonly children: ReactNode
}) {
  return (
    <Group gap="md" align="flex-start" wrap="nowrap">
      <Text size="sm" c="dimmed" w={112} style={{ flexShrink: 0 }} {...(note !== undefined && { title: note })}>
        {name}
      </Text>
      <Text size="sm" component="div" style={{ minWidth: 0, overflowWrap: 'anywhere' }}>
        {children}
      </Text>
    </Group>
  )
}

/** Links to the pages of a plugin, if it has some. */
function PagesOf({ console, name, title }: { readonly console: Console<Paths>; name: string; title: string }) {
  const pages = usePluginPages()?.filter(({ plugin }) => plugin === name) ?? []
  if (pages.length === 0) return null
  return (
    <Fact name={title}>
      <Group gap="md">
        {pages.map(({ path, title, kind }) =>
          kind === 'link' ? (
            <Anchor key={path} size="sm" href={console.api.url(path)} target="_blank" rel="noreferrer">
              {title}
            </Anchor>
          ) : (
            <Anchor key={path} size="sm" underline="always" {...console.link(path)}>
              {title}
            </Anchor>
          ),
        )}
      </Group>
    </Fact>
  )
}

type AddressGroup = { readonly title: string; readonly addresses: readonly string[] }

function Addresses({ title, groups }: { readonly title: string; readonly groups: readonly AddressGroup[] }) {
  const shown = groups.filter(({ addresses }) => addresses.length > 0)
  if (shown.length === 0) return null
  return (
    <Card withBorder>
      <Title order={2} size="h4" mb="xs">
        {title}
      </Title>
      <Stack gap="xs">
        {shown.map((group) => (
          <Fact key={group.title} name={group.title}>
            {group.addresses.map((address) => (
              <Text key={address} size="sm" ff="monospace">
                {address.replaceAll('{hostName}', location.hostname)}
              </Text>
            ))}
          </Fact>
        ))}
      </Stack>
    </Card>
  )
}

function listOf(text = ''): readonly string[] {
  return text === '' ? [] : text.split(', ')
}
