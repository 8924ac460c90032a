import type { Console } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'
import type { Load } from './load-history.ts'
import type { WORDS } from './overview-words.ts'

type Props = {
  readonly console: Console<Paths>
  readonly streams: Load['mostViewed'] | undefined
  readonly words: (typeof WORDS)['en']
}

/** The streams with most viewers; a click opens one. */
export function MostViewed({ console, streams, words }: Props) {
  const { DataTable } = console.components
  return (
    <DataTable
      label={words.mostViewed}
      rows={streams}
      rowKey={({ path }) => path}
      empty={words.nobody}
      onOpen={({ path }) => console.navigate(`/streams/${path.split('/').map(encodeURIComponent).join('/')}`)}
      columns={[
        { key: 'path', title: words.stream, render: ({ path }) => path },
        { key: 'viewers', title: words.viewers, align: 'end', render: ({ viewers }) => console.format.number(viewers) },
        {
          key: 'bitrate',
          title: words.bitrateIn,
          align: 'end',
          render: ({ receivedBps }) => console.format.bitrate(receivedBps),
        },
      ]}
    />
  )
}
