/* global SwaggerUIBundle */

const form = document.getElementById('login')
const api = document.getElementById('api')
const input = document.getElementById('token')
/** Kept as long as the page is open, and nowhere else. */
let token = ''

const ui = SwaggerUIBundle({
  dom_id: '#api',
  url: 'openapi.json',
  deepLinking: true,
  // Hundreds of operations that are drawn at once keep a browser busy for seconds.
  docExpansion: 'none',
  filter: true,
  displayRequestDuration: true,
  validatorUrl: null,
  requestInterceptor(request) {
    if (request.loadSpec && token !== '') request.headers.Authorization = `Bearer ${token}`
    return request
  },
  responseInterceptor(response) {
    // Where login is on, the description is for those who have logged in.
    if (response.url.endsWith('/api/openapi.json')) {
      form.hidden = response.status !== 401
      api.hidden = !form.hidden
    }
    return response
  },
  onComplete() {
    if (token !== '') ui.preauthorizeApiKey('bearer', token)
  },
})

form.addEventListener('submit', (event) => {
  event.preventDefault()
  token = input.value
  ui.specActions.download('openapi.json')
})
