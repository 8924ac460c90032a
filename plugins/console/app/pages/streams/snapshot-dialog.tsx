import { Button, Modal, Skeleton, Stack, Text } from '@mantine/core'
import { DownloadIcon } from '@primer/octicons-react'
import { useEffect, useState, type RefObject } from 'react'
import type { Console } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'
import { STREAMS_WORDS } from './streams-words.ts'

type Props = {
  readonly console: Console<Paths>
  readonly streamPath: string
  readonly picture: RefObject<HTMLElement | null>
  readonly onClose: () => void
}

/** A picture as it was taken: its address in this page, and why it is not the server's. */
type Taken = { readonly address: string | undefined; readonly problem: string }

/** A picture that the server makes of the stream now, or else the one that the player shows. */
export function SnapshotDialog({ console, streamPath, picture, onClose }: Props) {
  const words = console.words(STREAMS_WORDS)
  const [taken, setTaken] = useState<Taken>()
  const { api } = console
  useEffect(() => {
    const abort = new AbortController()
    let address: string | undefined
    const take = async () => {
      const path = `/snap/${streamPath.split('/').map(encodeURIComponent).join('/')}`
      const url = await api.mediaUrl(path, { plugin: 'snap', streamPath })
      const answer = await fetch(url, { signal: abort.signal })
      if (!answer.ok) throw new Error((await answer.text()) || answer.statusText)
      return answer.blob()
    }
    const show = async () => {
      let problem = ''
      const blob = await take().catch(async (error: unknown) => {
        problem = (error as Error).message
        return frameOf(picture.current?.querySelector('video') ?? undefined)
      })
      if (abort.signal.aborted) return
      if (blob !== undefined) address = URL.createObjectURL(blob)
      setTaken({ address, problem })
    }
    void show()
    return () => {
      abort.abort()
      if (address !== undefined) URL.revokeObjectURL(address)
    }
  }, [api, streamPath, picture])

  return (
    <Modal
      lockScroll={false}
      opened
      onClose={onClose}
      size="xl"
      title={words.snapshotOf(streamPath)}
      closeButtonProps={{ 'aria-label': words.close }}
    >
      <Stack>
        {taken === undefined && <Skeleton style={{ aspectRatio: '16 / 9' }} />}
        {taken !== undefined && taken.problem !== '' && (
          <Text size="sm">
            {taken.address === undefined ? words.snapshotNone : words.snapshotFrame} {taken.problem}
          </Text>
        )}
        {taken?.address !== undefined && (
          <>
            <img src={taken.address} alt={words.snapshotOf(streamPath)} style={{ maxWidth: '100%' }} />
            <Button
              component="a"
              href={taken.address}
              download={`${streamPath.replaceAll('/', '_')}.jpg`}
              leftSection={<DownloadIcon />}
              variant="default"
              style={{ alignSelf: 'flex-start' }}
            >
              {words.download}
            </Button>
          </>
        )}
      </Stack>
    </Modal>
  )
}

/** The picture that a video shows; undefined where there is none. */
function frameOf(video: HTMLVideoElement | undefined): Promise<Blob | undefined> {
  if (video === undefined || video.videoWidth === 0) return Promise.resolve(undefined)
  const canvas = document.createElement('canvas')
  canvas.width = video.videoWidth
  canvas.height = video.videoHeight
  canvas.getContext('2d')?.drawImage(video, 0, 0)
  return new Promise((resolve) => canvas.toBlob((blob) => resolve(blob ?? undefined), 'image/jpeg', 0.92))
}
