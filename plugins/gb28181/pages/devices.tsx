import { Box, Button, Modal, Paper, Title } from '@mantine/core'
import { PlugIcon, PlusIcon } from '@primer/octicons-react'
import { useState } from 'react'
import type { Paths } from 'sluice/api'
import type { PageProps } from 'sluice/sdk/console'
import { isSameChannel, type NamedChannel } from './devices/channel.ts'
import { ConsoleProvider } from './devices/console-context.ts'
import { DetailsPanel } from './devices/details-panel.tsx'
import { DEVICE_FORM_WORDS } from './devices/device/device-form-words.ts'
import { DeviceForm } from './devices/device/device-form.tsx'
import { PAGE_WORDS } from './devices/page-words.ts'
import { addressOf, placeOf, type Place } from './devices/place.ts'
import { useScreen } from './devices/screen.ts'
import { SERVER_INFO_WORDS } from './devices/server-info-words.ts'
import { ServerInfo } from './devices/server-info.tsx'
import { TreePanel } from './devices/tree/tree-panel.tsx'
import { useWall } from './devices/wall/use-wall.ts'
import { Wall } from './devices/wall/wall.tsx'

const COLUMNS = {
  phone: 'minmax(0, 1fr)',
  desk: '300px minmax(0, 1fr)',
  wall: '340px minmax(0, 1fr) 480px',
} as const
/** The height that the header and the heading of the page leave to the tree. */
const TREE_HEIGHT = { phone: 300, desk: 'calc(100dvh - 150px)', wall: 'calc(100dvh - 150px)' } as const
const REFRESH_MS = 10_000

/** Cameras and recorders: their tree, their live pictures, and what each one is, has recorded and has told. */
export default function Devices({ console, path }: PageProps<Paths>) {
  const { PageFrame } = console.components
  const words = console.words(PAGE_WORDS)
  const infoWords = console.words(SERVER_INFO_WORDS)
  const formWords = console.words(DEVICE_FORM_WORDS)
  const [isInfoOpen, setInfoOpen] = useState(false)
  const [isAdding, setAdding] = useState(false)
  // A count alone: whether there is any device or channel at all.
  const devices = console.useCall(
    'GET /gb28181/api/list',
    { query: { status: 2, page: 1, count: 1, channels: false } },
    { refreshMs: REFRESH_MS },
  )
  const channels = console.useCall('GET /gb28181/api/channel/list', { query: { page: 1, count: 1 } })
  const isEmpty = devices.data?.total === 0 && channels.data?.total === 0
  return (
    <ConsoleProvider value={console}>
      <PageFrame
        title={words.title}
        actions={
          <>
            <Button size="sm" variant="default" leftSection={<PlugIcon />} onClick={() => setInfoOpen(true)}>
              {words.connect}
            </Button>
            {console.user.mayChange && (
              <Button size="sm" leftSection={<PlusIcon />} onClick={() => setAdding(true)}>
                {formWords.add}
              </Button>
            )}
          </>
        }
      >
        {isEmpty ? (
          <Paper withBorder p="lg" maw={720}>
            <Title order={2} size="h4" mb="sm">
              {infoWords.noDevices}
            </Title>
            <ServerInfo />
          </Paper>
        ) : (
          <Workplace path={path} onGo={(place) => console.navigate(addressOf(place))} />
        )}
      </PageFrame>
      <Modal
        opened={isInfoOpen}
        onClose={() => setInfoOpen(false)}
        size="lg"
        title={infoWords.title}
        closeButtonProps={{ 'aria-label': infoWords.close }}
      >
        <ServerInfo />
      </Modal>
      {isAdding && (
        <DeviceForm
          device={undefined}
          onClose={() => setAdding(false)}
          onSaved={(deviceId) => {
            void devices.refresh()
            console.navigate(addressOf({ deviceId }))
          }}
        />
      )}
    </ConsoleProvider>
  )
}

/** Tree, wall and details beside each other. */
function Workplace({ path, onGo }: { readonly path: string; readonly onGo: (place: Place) => void }) {
  const screen = useScreen()
  const [wall, changeWall] = useWall()
  const place = placeOf(path)
  const { deviceId, channelId } = place
  const channel = deviceId !== undefined && channelId !== undefined ? { deviceId, channelId } : undefined

  const choose = (next: Place) => {
    if (next.deviceId !== undefined && next.channelId !== undefined) {
      changeWall({ kind: 'choose', channel: { deviceId: next.deviceId, channelId: next.channelId } })
    }
    onGo(next)
  }
  const play = (wanted: NamedChannel) => {
    changeWall({ kind: 'play', channel: wanted })
    onGo({ deviceId: wanted.deviceId, channelId: wanted.channelId })
  }
  const details = (
    <DetailsPanel
      place={place}
      isInWall={wall.cells.slice(0, wall.size).some((one) => isSameChannel(one, channel))}
      onPlay={play}
      onRemoved={() => onGo({})}
    />
  )
  return (
    <Box
      style={{
        display: 'grid',
        gridTemplateColumns: COLUMNS[screen],
        gap: 'var(--mantine-spacing-md)',
        alignItems: 'start',
      }}
    >
      <Box style={screen === 'phone' ? {} : { position: 'sticky', top: 68 }}>
        <TreePanel place={place} height={TREE_HEIGHT[screen]} onChoose={choose} onPlay={play} />
      </Box>
      <Box style={{ display: 'grid', gap: 'var(--mantine-spacing-md)', minWidth: 0 }}>
        <Wall wall={wall} onChange={changeWall} onChoose={onGo} />
        {screen !== 'wall' && details}
      </Box>
      {screen === 'wall' && details}
    </Box>
  )
}
