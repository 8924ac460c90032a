import { useState } from 'react'
import type { PageProps } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'
import { StreamDetail } from './stream-detail.tsx'
import { StreamList, type ListPlace } from './stream-list.tsx'

/** The streams, or the one that the address names. Who comes back to the list finds the page of it that was left. */
export default function Streams({ console, path }: PageProps<Paths>) {
  const [place, setPlace] = useState<ListPlace>({ search: '', page: 1 })
  if (path !== '') return <StreamDetail key={path} console={console} streamPath={path} />
  return <StreamList console={console} place={place} onPlace={setPlace} />
}
