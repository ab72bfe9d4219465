// Starts `render-frames lsp` for rigs, and says once if it is not there. In a folder that is not trusted nothing is started.
'use strict';

const { execFile } = require('node:child_process');
const vscode = require('vscode');
const { LanguageClient, TransportKind } = require('vscode-languageclient/node');

/** The client, while the server runs. */
let client;
/** Whether the message about a missing program was shown. */
let told = false;

/** The program of the setting, or the one on the PATH. */
function program() {
    const path = vscode.workspace.getConfiguration('boneLayer').get('path', '').trim();
    return path === '' ? 'render-frames' : path;
}

/** Whether a program is there and has the command. */
function serves(path) {
    return new Promise((resolve) => {
        execFile(path, ['lsp', '--help'], { timeout: 10_000 }, (error) => resolve(!error));
    });
}

async function start() {
    if (client || !vscode.workspace.isTrusted) {
        return;
    }
    const command = program();
    if (!(await serves(command))) {
        if (!told) {
            told = true;
            const settings = 'Open the setting';
            const message = `${command} is not found, or has no command lsp. Rigs have their colours only.`;
            if ((await vscode.window.showWarningMessage(message, settings)) === settings) {
                await vscode.commands.executeCommand('workbench.action.openSettings', 'boneLayer.path');
            }
        }
        return;
    }
    if (client) {
        return;
    }
    const files = (pattern) => ({ scheme: 'file', pattern });
    client = new LanguageClient(
        'boneLayer',
        'bone-layer',
        { command, args: ['lsp'], transport: TransportKind.stdio },
        {
            documentSelector: [
                { scheme: 'file', language: 'bone-layer-rig' },
                // The server looks at those alone that are rigs.
                files('**/*.ron'),
                files('**/rig.json'),
                files('**/*.rig.json'),
            ],
            // Hovers show pictures here.
            initializationOptions: { pictures: true },
            synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher('**/*.{ron,json,svg}') },
        },
    );
    await client.start();
}

/** The page of the rig that is in front, in the browser. */
async function showPage() {
    const document = vscode.window.activeTextEditor?.document;
    if (!client || !document) {
        return;
    }
    try {
        // The client has the server's command under its own name.
        await vscode.commands.executeCommand('boneLayer.openPage', document.uri.toString());
    } catch (error) {
        await vscode.window.showErrorMessage(error.message);
    }
}

/** The cursor that is said next, at most 20 times a second. */
let next;

function sayCursor({ textEditor, selections }) {
    const textDocument = { uri: textEditor.document.uri.toString() };
    const { line, character } = selections[0].active;
    clearTimeout(next);
    next = setTimeout(() => {
        // Without a page the server takes no notice.
        void client?.sendNotification('boneLayer/cursor', { textDocument, position: { line, character } });
    }, 50);
}

async function stop() {
    const running = client;
    client = undefined;
    await running?.stop();
}

async function activate(context) {
    const restart = async () => {
        told = false;
        await stop();
        await start();
    };
    context.subscriptions.push(
        vscode.commands.registerCommand('boneLayer.restart', restart),
        vscode.commands.registerCommand('boneLayer.showPage', showPage),
        vscode.window.onDidChangeTextEditorSelection((event) => {
            if (/\.(ron|json)$/.test(event.textEditor.document.fileName)) {
                sayCursor(event);
            }
        }),
        vscode.workspace.onDidChangeConfiguration(async (event) => {
            if (event.affectsConfiguration('boneLayer.path')) {
                await restart();
            }
        }),
        vscode.workspace.onDidGrantWorkspaceTrust(start),
    );
    await start();
}

module.exports = { activate, deactivate: stop };
