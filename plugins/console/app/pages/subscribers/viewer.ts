import type { Paths } from 'sluice/api'

/** A session that takes a stream. */
export type Viewer = Paths['GET /api/subscribers/{streamPath}']['answer']['data'][number]
