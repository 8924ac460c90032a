import type { PageProps } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'
import { AlbumPage } from './album/album-page.tsx'

/** The album of all pictures that are kept, or of those of the stream that the address names. */
export default function Snapshots({ console, path }: PageProps<Paths>) {
  return <AlbumPage key={path} console={console} streamPath={path} />
}
