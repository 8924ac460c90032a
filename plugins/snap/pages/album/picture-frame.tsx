import { Center, Skeleton, Text } from '@mantine/core'
import type { PageConsole } from '../page-console.ts'
import { WORDS } from '../snapshots-words.ts'

type PictureFrameProps = {
  readonly console: PageConsole
  readonly address: string | undefined
  readonly isGone: boolean | undefined
  readonly text: string
}

/** A picture in a frame of 16:9, which keeps its place while it is loaded. */
export function PictureFrame({ console, address, isGone, text }: PictureFrameProps) {
  if (address === undefined && isGone !== true) return <Skeleton style={{ aspectRatio: '16 / 9' }} />
  return (
    <Center bg="black" w="100%" style={{ aspectRatio: '16 / 9', borderRadius: 'var(--mantine-radius-sm)' }}>
      {address === undefined ? (
        <Text c="white" size="sm">
          {console.words(WORDS).gone}
        </Text>
      ) : (
        <img src={address} alt={text} style={{ width: '100%', height: '100%', objectFit: 'contain' }} />
      )}
    </Center>
  )
}
