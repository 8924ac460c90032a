import { Skeleton } from '@mantine/core'
import { lazy, Suspense, type ComponentType } from 'react'

/**
 * A component whose code is loaded when it is first drawn.
 * @param height of the place that is kept meanwhile; undefined for what lies over the page
 */
export function lazily<Props extends object>(
  load: () => Promise<{ readonly default: ComponentType<Props> }>,
  height?: number,
): ComponentType<Props> {
  const Loaded = lazy(load) as unknown as ComponentType<Props>
  return (props) => (
    <Suspense fallback={height !== undefined && <Skeleton height={height} />}>
      <Loaded {...props} />
    </Suspense>
  )
}
