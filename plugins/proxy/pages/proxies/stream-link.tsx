import { Anchor } from '@mantine/core'
import type { MouseEvent } from 'react'
import type { Paths } from 'sluice/api'
import type { Console } from 'sluice/sdk/console'

type Props = { readonly console: Console<Paths>; readonly streamPath: string }

/** A link to the page of a stream. */
export function StreamLink({ console, streamPath }: Props) {
  const to = `/streams/${streamPath.split('/').map(encodeURIComponent).join('/')}`
  const follow = (event: MouseEvent) => {
    event.stopPropagation()
    // Other clicks open a tab or a window.
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    console.navigate(to)
  }
  return (
    <Anchor size="sm" href={console.href(to)} onClick={follow} style={{ overflowWrap: 'anywhere' }}>
      {streamPath}
    </Anchor>
  )
}
