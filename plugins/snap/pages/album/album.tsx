import { Box, Center, Group, Pagination, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { PageConsole, Picture } from '../page-console.ts'
import { WORDS } from '../snapshots-words.ts'
import { PictureCard } from './picture-card.tsx'
import { PictureView } from './picture-view.tsx'

const COLUMNS = { base: 2, md: 3, lg: 4, xl: 6 }
const SKELETONS = 8

type AlbumProps = {
  readonly console: PageConsole
  /** Undefined while they are loaded. */
  readonly pictures: readonly Picture[] | undefined
  readonly total: number
  readonly page: number
  readonly pageSize: number
  readonly onPage: (page: number) => void
  readonly empty: string
  readonly onChange: () => Promise<void>
}

/** A page of pictures: each is opened, and several are deleted together. */
export function Album({ console, pictures, total, page, pageSize, onPage, empty, onChange }: AlbumProps) {
  const words = console.words(WORDS)
  const { ConfirmButton } = console.components
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set())
  const [openId, setOpenId] = useState<number>()
  const ids = (pictures ?? []).map(({ id }) => id).filter((id) => chosen.has(id))
  const opened = pictures?.findIndex(({ id }) => id === openId) ?? -1

  const remove = async (removed: readonly number[]) => {
    const call = () => console.api.call('POST /snap/api/delete', { body: { ids: [...removed] } })
    await console.change(call, words.deleted)
    setOpenId(undefined)
    await onChange()
  }
  const choose = (id: number, isChosen: boolean) => {
    const next = new Set(chosen)
    if (isChosen) next.add(id)
    else next.delete(id)
    setChosen(next)
  }
  if (pictures?.length === 0) {
    return (
      <Center mih={240}>
        <Text c="dimmed">{empty}</Text>
      </Center>
    )
  }
  return (
    <Stack>
      <Group justify="space-between" mih={30}>
        <Text size="sm" c="dimmed">
          {words.total(console.format.number(total))}
        </Text>
        {ids.length > 0 && (
          <ConfirmButton question={words.deleteChosenQuestion(ids.length)} onConfirm={() => remove(ids)}>
            {words.deleteChosen(ids.length)}
          </ConfirmButton>
        )}
      </Group>
      <SimpleGrid cols={COLUMNS} spacing="md" aria-busy={pictures === undefined}>
        {pictures === undefined
          ? Array.from({ length: SKELETONS }, (_, index) => (
              <Box key={index}>
                <Skeleton style={{ aspectRatio: '16 / 9' }} />
                <Skeleton height={40} mt="xs" />
              </Box>
            ))
          : pictures.map((picture) => (
              <PictureCard
                key={picture.id}
                console={console}
                picture={picture}
                isChosen={chosen.has(picture.id)}
                onChoose={(isChosen) => choose(picture.id, isChosen)}
                onOpen={() => setOpenId(picture.id)}
              />
            ))}
      </SimpleGrid>
      {total > pageSize && (
        <Group justify="center">
          <Pagination value={page} total={Math.ceil(total / pageSize)} onChange={onPage} aria-label={words.pages} />
        </Group>
      )}
      {pictures !== undefined && pictures[opened] !== undefined && (
        <PictureView
          console={console}
          picture={pictures[opened]}
          newer={pictures[opened - 1]}
          older={pictures[opened + 1]}
          onOpen={({ id }) => setOpenId(id)}
          onClose={() => setOpenId(undefined)}
          onDelete={(id) => remove([id])}
        />
      )}
    </Stack>
  )
}
