import type { MouseEvent } from 'react'
import type { Console } from 'sluice/sdk/console'

/** The props of a link to a page of the console. A click that the browser has a use of its own for is left to it. */
export function pageLink({ href, navigate }: Pick<Console<never>, 'href' | 'navigate'>, path: string) {
  return {
    href: href(path),
    onClick(event: MouseEvent) {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return
      event.preventDefault()
      navigate(path)
    },
  }
}
