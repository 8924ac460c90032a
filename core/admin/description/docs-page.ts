import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'

/** Where the page is. */
const PATH = '/api/docs'
/** The page asks its own server and nobody else. The icons of its style sheet are data. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'self'",
].join('; ')

/** `/api/docs`: a page that shows the OpenAPI document, and asks operations for whoever reads it. */
export function registerDocsPage(app: FastifyInstance, document: () => object): void {
  void app.register(describeBy(document))
  void app.register(swaggerUi, {
    routePrefix: PATH,
    staticCSP: CONTENT_SECURITY_POLICY,
    theme: { title: 'Sluice API' },
    // Without a bar in which other documents can be opened.
    uiConfig: { layout: 'BaseLayout', filter: true, displayRequestDuration: true },
  })
}

/** What `@fastify/swagger-ui` expects of `@fastify/swagger`, which gathers a document from the routes of an app. */
function describeBy(document: () => object) {
  const provide = async (app: FastifyInstance) => void app.decorate('swagger', document)
  return Object.assign(provide, {
    [Symbol.for('skip-override')]: true,
    [Symbol.for('plugin-meta')]: { name: '@fastify/swagger' },
  })
}
