import { ActionIcon, CopyButton, Group, Skeleton, Stack, Text } from '@mantine/core'
import { CheckIcon, CopyIcon } from '@primer/octicons-react'
import { useConsole } from './console-context.ts'
import { Facts } from './device/facts.tsx'
import { SERVER_INFO_WORDS } from './server-info-words.ts'

/** The values that a device's menu asks for, so that it registers at this server. */
export function ServerInfo() {
  const console = useConsole()
  const words = console.words(SERVER_INFO_WORDS)
  const { Problem } = console.components
  const { data, error, refresh } = console.useCall('GET /gb28181/api/server/config')
  if (error !== undefined) return <Problem error={error} onRetry={() => void refresh()} />
  if (data === undefined) return <Skeleton height={220} />
  const { deviceGBId, deviceGBDomain, localIPs, localPort } = data.data
  return (
    <Stack gap="sm">
      <Text size="sm">{words.intro}</Text>
      <Facts
        label={words.title}
        facts={[
          [words.serverId, <Copied key="id" text={deviceGBId} />],
          [words.domain, <Copied key="domain" text={deviceGBDomain} />],
          [
            words.address,
            <Stack key="addresses" gap={2}>
              {localIPs.length === 0 ? words.unknownAddress : localIPs.map((ip) => <Copied key={ip} text={ip} />)}
            </Stack>,
          ],
          [words.port, <Copied key="port" text={String(localPort)} />],
          [words.password, words.passwordHint],
          [words.deviceId, words.deviceIdHint],
        ]}
      />
      <Text size="sm" c="dimmed">
        {words.simulator}
      </Text>
    </Stack>
  )
}

function Copied({ text }: { readonly text: string }) {
  const words = useConsole().words(SERVER_INFO_WORDS)
  return (
    <Group gap={4} wrap="nowrap">
      <Text size="sm" ff="monospace">
        {text}
      </Text>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <ActionIcon size="sm" variant="subtle" aria-label={words.copy(text)} onClick={copy}>
            {copied ? <CheckIcon size={14} /> : <CopyIcon size={14} />}
          </ActionIcon>
        )}
      </CopyButton>
    </Group>
  )
}
