import { Box, Card, Checkbox, Group, Text, UnstyledButton } from '@mantine/core'
import { useIntersection } from '@mantine/hooks'
import { useEffect, useState } from 'react'
import type { PageConsole, Picture } from '../page-console.ts'
import { WORDS } from '../snapshots-words.ts'
import { PictureFrame } from './picture-frame.tsx'
import { usePicture } from './use-picture.ts'

type PictureCardProps = {
  readonly console: PageConsole
  readonly picture: Picture
  readonly isChosen: boolean
  readonly onChoose: (isChosen: boolean) => void
  readonly onOpen: () => void
}

/** A small picture, which is loaded when it comes into sight. */
export function PictureCard({ console, picture, isChosen, onChoose, onOpen }: PictureCardProps) {
  const words = console.words(WORDS)
  const { streamPath } = picture
  const time = console.format.time(picture.time)
  const label = words.open(streamPath, time)
  const { ref, entry } = useIntersection({ rootMargin: '200px' })
  const [isSeen, setSeen] = useState(false)
  useEffect(() => {
    if (entry?.isIntersecting === true) setSeen(true)
  }, [entry])
  const { address, isGone } = usePicture(console, isSeen ? picture.id : undefined)
  return (
    <Card withBorder padding="xs" ref={ref}>
      <UnstyledButton aria-label={isGone === true ? `${label}: ${words.gone}` : label} onClick={onOpen}>
        <PictureFrame console={console} address={address} isGone={isGone} text="" />
      </UnstyledButton>
      <Group mt="xs" gap="xs" wrap="nowrap" align="flex-start">
        <Checkbox
          size="xs"
          mt={3}
          aria-label={words.choose(streamPath, time)}
          checked={isChosen}
          disabled={!console.user.mayChange}
          onChange={({ currentTarget }) => onChoose(currentTarget.checked)}
        />
        <Box miw={0}>
          <Text size="sm" truncate title={streamPath}>
            {streamPath}
          </Text>
          <Text size="xs" c="dimmed">
            {time}
          </Text>
        </Box>
      </Group>
    </Card>
  )
}
