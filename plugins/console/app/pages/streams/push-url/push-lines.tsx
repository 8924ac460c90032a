import { Flex, Skeleton, Stack, Text } from '@mantine/core'
import { lazy, Suspense } from 'react'
import type { Console } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'
import { CopyLine } from './copy-line.tsx'
import { pushAddress, type PushProtocol, type PushTarget } from './push-addresses.ts'
import { PUSH_WORDS } from './push-words.ts'

const QrCode = lazy(() => import('./qr-code.tsx'))

type Props = {
  readonly console: Console<Paths>
  readonly protocol: PushProtocol
  readonly target: PushTarget
  /** The end of the signature. */
  readonly expire: string | undefined
}

/** The address in all the forms that encoders ask for. */
export function PushLines({ console, protocol, target, expire }: Props) {
  const words = console.words(PUSH_WORDS)
  const { url, obs, ffmpeg } = pushAddress(protocol, target, new URL(console.api.url('/'), location.href).href)
  const isSigned = Object.keys(target.query).length > 0
  const isWhip = protocol.plugin === 'webrtc'
  const remark = isSigned ? words.signed(console.format.time(expire)) : words.unsigned
  const line = (label: string, text: string) => <CopyLine label={label} text={text} words={words} />
  return (
    <Stack gap="sm">
      <Text size="sm">{console.user.mayChange ? remark : words.mayNotSign}</Text>
      <Flex gap="md" direction={{ base: 'column', sm: 'row' }} align="flex-start">
        <Stack gap="sm" style={{ flex: 1, minWidth: 0 }} w="100%">
          {line(words.address, url)}
          {obs !== undefined && line(isWhip ? words.obsWhip : words.obsServer, obs.server)}
          {obs !== undefined && obs.key !== '' && line(words.obsKey, obs.key)}
        </Stack>
        <Suspense fallback={<Skeleton width={168} height={168} />}>
          <QrCode text={url} label={words.qrCode(url)} />
        </Suspense>
      </Flex>
      {line(words.ffmpeg, ffmpeg)}
    </Stack>
  )
}
