import { Skeleton } from '@mantine/core'
import { lazy, Suspense, type ComponentType } from 'react'

/** A component whose code is loaded when it is first drawn; its place is kept meanwhile. */
export function lazily<Props extends object>(
  load: () => Promise<{ readonly default: ComponentType<Props> }>,
  height: number,
): ComponentType<Props> {
  const Loaded = lazy(load) as unknown as ComponentType<Props>
  return (props) => (
    <Suspense fallback={<Skeleton height={height} />}>
      <Loaded {...props} />
    </Suspense>
  )
}
