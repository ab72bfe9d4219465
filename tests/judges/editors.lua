-- Neovim as a client of the language server: nvim --headless -u NONE -i NONE -n -c 'luafile tests/judges/editors.lua'
-- SERVER is the command, for example `target/debug/render-frames lsp`. Needs what Neovim 0.7 has.
local failed = 0
local function check(name, ok, detail)
  io.stdout:write(ok and 'ok   ' or 'FAIL ', name, detail and ': ' .. detail or '', '\n')
  if not ok then failed = failed + 1 end
end

local SVG = [[<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><path id="flag" d="M5 5H35V20H5Z"/></svg>]]
-- The umlaut and the face are 2 and 4 bytes, 1 and 2 units of UTF-16.
local RIG = {
  'Rig(version: 1, drawing: "flag.svg",',
  '    bones: { "Käse😀": (from: (5, 5), to: (35, 5)), "tip": (parent: "Käse😀", lenght: 4) },',
  '    skin: [Rigid(art: "flag", bone: "tip")],',
  ')',
}

local function run()
  local folder = vim.fn.tempname()
  vim.fn.mkdir(folder, 'p')
  vim.fn.writefile({ SVG }, folder .. '/flag.svg')
  vim.fn.writefile(RIG, folder .. '/rig.ron')
  vim.cmd('edit ' .. folder .. '/rig.ron')
  local buf, ready, code = vim.api.nvim_get_current_buf(), false, nil
  local id = vim.lsp.start_client({
    cmd = vim.split(vim.env.SERVER, ' '),
    name = 'bone_layer',
    root_dir = folder,
    on_attach = function() ready = true end,
    on_exit = function(exit) code = exit end,
    capabilities = vim.lsp.protocol.make_client_capabilities(),
  })
  vim.lsp.buf_attach_client(buf, id)
  check('the server starts', vim.wait(15000, function() return ready end, 10))
  local client = vim.lsp.get_client_by_id(id)

  local function lines() return vim.api.nvim_buf_get_lines(buf, 0, -1, false) end
  local function findings() return vim.diagnostic.get(buf) end
  -- Puts the cursor on the first byte of a text.
  local function go(text)
    for row, line in ipairs(lines()) do
      local at = line:find(text, 1, true)
      if at then return vim.api.nvim_win_set_cursor(0, { row, at - 1 }) end
    end
    error('no line has ' .. text)
  end
  local function request(method, extra)
    local params = vim.tbl_extend('force', vim.lsp.util.make_position_params(0, client.offset_encoding), extra or {})
    local reply = (vim.lsp.buf_request_sync(buf, method, params, 15000) or {})[id] or {}
    return reply.result, reply.err or reply.error
  end

  vim.wait(15000, function() return #findings() > 0 end, 10)
  local found = findings()[1] or {}
  local wrong = (lines()[(found.lnum or 0) + 1] or ''):sub((found.col or 0) + 1, found.end_col or 0)
  check('a mistake has its place', wrong == 'lenght', wrong)

  go('lenght')
  local params = vim.lsp.util.make_range_params(0, client.offset_encoding)
  params.context = { diagnostics = {} }
  local reply = (vim.lsp.buf_request_sync(buf, 'textDocument/codeAction', params, 15000) or {})[id] or {}
  local action = (reply.result or {})[1]
  if action then vim.lsp.util.apply_workspace_edit(action.edit, client.offset_encoding) end
  check('its fix is made', table.concat(lines(), '\n'):find('length: 4', 1, true) ~= nil)
  check('the mistake is gone', vim.wait(15000, function() return #findings() == 0 end, 10))

  go('tip")]')
  local list = request('textDocument/completion')
  local names = {}
  for _, item in ipairs(list and (list.items or list) or {}) do names[#names + 1] = item.label end
  check('bones are completed', vim.tbl_contains(names, 'Käse😀') and vim.tbl_contains(names, 'tip'), table.concat(names, ' '))

  go('length')
  local hover = request('textDocument/hover')
  check('a field has its documentation', hover ~= nil and hover.contents.value:find('length: 60', 1, true) ~= nil)

  go('Käse😀", length')
  local place = request('textDocument/definition')
  check('the definition is the bone', place ~= nil and #place == 1 and place[1].range.start.character == 14)
  local edit = request('textDocument/rename', { newName = 'pole' })
  if edit then vim.lsp.util.apply_workspace_edit(edit, client.offset_encoding) end
  local text = table.concat(lines(), '\n')
  check('the bone is renamed', text == table.concat(RIG, '\n'):gsub('lenght', 'length'):gsub('Käse😀', 'pole'), lines()[2])
  local _, refused = request('textDocument/rename', { newName = 'tip' })
  check('a name that is taken is refused', refused ~= nil and refused.message:find('tip', 1, true) ~= nil)

  local opened = request('workspace/executeCommand', { command = 'boneLayer.openPage', arguments = { vim.uri_from_bufnr(buf) } })
  check('the page opens', opened ~= nil and opened.address:find('^http://127%.0%.0%.1:%d+/#%x+$') ~= nil)
  client.notify('boneLayer/cursor', vim.lsp.util.make_position_params(0, client.offset_encoding))

  -- White space of an example, before and after; its letters stay.
  local example = vim.fn.readfile('examples/arm/rig.ron')
  local before = {}
  for _, line in ipairs(example) do before[#before + 1] = (line:gsub('^%s+', ' '):gsub(': ', ':   ')) end
  local name = folder .. '/arm.ron'
  vim.fn.writefile(before, name)
  vim.cmd('edit ' .. name)
  local arm = vim.api.nvim_get_current_buf()
  vim.lsp.buf_attach_client(arm, id)
  local options = { textDocument = vim.lsp.util.make_text_document_params(arm), options = { tabSize = 4, insertSpaces = true } }
  local laid = (vim.lsp.buf_request_sync(arm, 'textDocument/formatting', options, 15000) or {})[id] or {}
  vim.lsp.util.apply_text_edits(laid.result or {}, arm, client.offset_encoding)
  local after = vim.api.nvim_buf_get_lines(arm, 0, -1, false)
  local letters = function(list) return (table.concat(list):gsub('%s', '')) end
  check('white space is laid out', letters(after) == letters(example) and table.concat(after) ~= table.concat(before),
    before[5] .. ' -> ' .. after[5])

  -- All texts with mistakes, as the command line has them.
  -- Bytes that an editor reads as another text, and texts that nothing shows to be rigs.
  local apart = { binary = true, ['not-utf8'] = true, utf16 = true, empty = true, ['rig-brackets-missing'] = true }
  local program, seen, differ = vim.split(vim.env.SERVER, ' ')[1], 0, {}
  for _, file in ipairs(vim.fn.glob('tests/bad-rigs/*.ron', true, true)) do
    if not apart[vim.fn.fnamemodify(file, ':t:r')] then
      local wanted = vim.fn.json_decode(vim.fn.system({ program, 'check', '--json', file }))
      local own = 0
      for _, finding in ipairs(wanted.findings) do
        if finding.place ~= vim.NIL and vim.fn.fnamemodify(finding.place.file, ':t') == vim.fn.fnamemodify(file, ':t') then own = own + 1 end
      end
      vim.cmd('edit ' .. file)
      local bad = vim.api.nvim_get_current_buf()
      vim.lsp.buf_attach_client(bad, id)
      local same = vim.wait(5000, function() return #vim.diagnostic.get(bad) == own end, 5)
      seen = seen + 1
      if not same then differ[#differ + 1] = file .. ' ' .. own .. ' ' .. #vim.diagnostic.get(bad) end
      vim.cmd('bdelete!')
    end
  end
  check('mistakes of ' .. seen .. ' texts are those of the program', seen > 100 and #differ == 0, table.concat(differ, '; '))

  vim.lsp.stop_client(id)
  check('the server ends', vim.wait(5000, function() return client.is_stopped() end, 10) and (code or 0) == 0)
  vim.fn.delete(folder, 'rf')
end

local ran, err = xpcall(run, debug.traceback)
if not ran then check('the script', false, err) end
io.stdout:flush()
vim.cmd(failed > 0 and 'cquit 1' or 'qall!')
